"""Checks a certificate of a won game of five in a row by the rules alone: `python verify.py FILE`.

It needs Python and no other file. It says VERIFIED, or REFUTED and the first place where the proof fails (exit code
1), or UNUSABLE for a file that is no certificate or exceeds a limit (2). docs/proofs.md describes the certificate.

The winner's strategy is a chain of steps, each a move and a table of replies with the line that answers them. After
any other reply the winner makes five if he can, otherwise the next step is the answer. Such replies are not tried one
by one: the rest of the chain is replayed once as if the loser had passed, and its footprint collected, every cell where
a further stone of the loser could change that replay. Replies on the footprint are tried, the others change nothing.
"""

from __future__ import annotations

import argparse
import re
import sys
import zlib
from array import array
from collections.abc import Generator, Iterator
from itertools import product
from typing import Any, NamedTuple

BLACK, WHITE, BLOCKED, EMPTY = 0, 1, 2, 3
SIDES = ("black", "white")
LARGEST_TEXT = 64 << 20  # bytes of a certificate, unpacked
MOST_LINES = LONGEST_LINE = 1 << 20
MOST_POSITIONS = 20_000_000  # unless the caller says otherwise: about twenty minutes
MOST_REMEMBERED = 400_000  # positions kept, so that a line reached by several orders of moves is replayed once
NONE, STONES = -1, "[a-z0-9 ]{0,5120}"  # no cell and no next step; as many names as the largest board has cells
FIELDS = {  # of the header, in this order; `blocked` may be missing
    "renga-proof": "1", "rule": "freestyle|standard|renju|caro-overline|caro",
    "size": r"([5-9]|[12]\d|3[0-2])x([5-9]|[12]\d|3[0-2])", "black": STONES, "white": STONES,
    "blocked": STONES, "turn": "black|white", "claim": r"(black|white) wins within \d{1,4} plies", "tree": r"\d+",
}  # fmt: skip
STEP = re.compile(r"(?:-|[a-z]{1,2}\d{1,2})(?:\([a-z0-9:, ]+\))?")
CHAIN = re.compile(rf"{STEP.pattern}(?: {STEP.pattern})*")


class Unusable(Exception):
    """The file is no certificate, or too large to check."""


class Refuted(Exception):
    """The certificate does not prove its claim. The text begins with the name of the failure."""


class Verified(NamedTuple):
    claim: str
    plies: int  # of the longest game that the proof leads to
    lines: int
    positions: int  # looked at on the way


def bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class Board:
    """Stones and the rules of five, fouls included. A cell is row * (width + 1) + column: the extra column parts the
    rows, so that sets of cells can be shifted as whole numbers."""

    def __init__(self, width: int, height: int, rule: str, limit: int) -> None:
        self.rule, self.stride, self.limit, self.positions = rule, width + 1, limit, 0
        self.stone = bytearray([BLOCKED]) * (self.stride * height)
        self.sets = [0, 0, 0, 0]
        self.rays: dict[int, list[tuple[list[int], list[int]]]] = {}
        self.star: dict[int, int] = {}

        def ray(x: int, y: int, dx: int, dy: int) -> list[int]:
            cells = ((x + i * dx, y + i * dy) for i in range(1, 32))
            return [b * self.stride + a for a, b in cells if 0 <= a < width and 0 <= b < height]

        for y, x in product(range(height), range(width)):
            cell = y * self.stride + x
            self.rays[cell] = rays = [
                (ray(x, y, dx, dy), ray(x, y, -dx, -dy)) for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1))
            ]
            self.star[cell] = sum(1 << c for pair in rays for way in pair for c in way[:5]) | 1 << cell
            self.stone[cell] = EMPTY
            self.sets[EMPTY] |= 1 << cell

    def count(self) -> None:
        self.positions += 1
        if self.positions > self.limit:
            raise Unusable(f"limit: more than {self.limit} positions to look at")

    def put(self, cell: int, colour: int) -> None:
        self.sets[self.stone[cell]] ^= 1 << cell
        self.sets[colour] ^= 1 << cell
        self.stone[cell] = colour

    def five(self, cell: int, colour: int) -> int:
        """The cells that make a stone of the colour on `cell` a five: its row and what stands at the ends. 0: none."""
        stone = self.stone
        for ahead, behind in self.rays[cell]:
            after = before = 0
            while after < len(ahead) and stone[ahead[after]] == colour:
                after += 1
            while before < len(behind) and stone[behind[before]] == colour:
                before += 1
            if after + before < 4:
                continue
            ends = ahead[after : after + 1] + behind[before : before + 1]
            if after + before > 4:
                wins = self.rule in ("freestyle", "caro-overline") or (self.rule == "renju" and colour == WHITE)
            else:  # caro: the edge blocks nothing
                wins = "caro" not in self.rule or len(ends) < 2 or any(stone[end] == EMPTY for end in ends)
            if wins:
                return 1 << cell | sum(1 << c for c in ahead[:after] + behind[:before] + ends)
        return 0

    def near_five(self, colour: int, missing: int) -> int:
        """The empty cells of rows of five without a foreign stone that lack at most `missing` stones of the colour."""
        own, free, found = self.sets[colour], self.sets[colour] | self.sets[EMPTY], 0
        for step in (1, self.stride, self.stride + 1, self.stride - 1):
            pairs = free & free >> step
            rows = pairs & pairs >> 2 * step & free >> 4 * step
            # Every row's stones, counted at once: ones + 2 * (twos + others).
            b, c, d, e = own >> step, own >> 2 * step, own >> 3 * step, own >> 4 * step
            low, twos = own ^ b ^ c, own & b | c & (own ^ b)
            ones, others = low ^ d ^ e, low & d | e & (low ^ d)
            enough = twos & others
            if missing > 1:
                enough |= (twos | others) & (ones if missing == 2 else -1)
            if missing > 3:
                enough |= ones if missing == 4 else -1
            rows &= enough
            if rows:
                found |= rows | rows << step | rows << 2 * step | rows << 3 * step | rows << 4 * step
        return found & self.sets[EMPTY]

    def forbidden(self, cell: int, colour: int) -> tuple[bool, int]:
        """Is an empty cell a foul, and which cells were looked at? None, where too little black stands near."""
        if self.rule != "renju" or colour != BLACK:
            return False, 0
        crowded = 0
        for ahead, behind in self.rays[cell]:
            near = [self.stone[c] for c in ahead[:5] + behind[:5]].count(BLACK)
            crowded += (near >= 2) + (near >= 4)
        seen = [0]
        return crowded >= 2 and self.foul(cell, seen), seen[0]

    def foul(self, cell: int, seen: list[int]) -> bool:
        """Overline, double four or double three; the cells that were looked at join seen[0]."""
        self.count()
        seen[0] |= self.star[cell]
        if self.five(cell, BLACK):
            return False
        fours = threes = 0
        self.put(cell, BLACK)
        for ahead, behind in self.rays[cell]:
            cells = [*[NONE] * (5 - len(behind)), *behind[4::-1], cell, *ahead[:5], *[NONE] * (5 - len(ahead))]
            line = [self.stone[c] if c != NONE else BLOCKED for c in cells]
            # Fours: sets of four black stones, the new one (number 5 of the line) among them, that one more stone
            # turns into exactly five.
            fours += len({
                tuple(i for i in range(first, first + 5) if line[i] == BLACK) for first in range(1, 6)
                if sorted(line[first : first + 5]) == [*[BLACK] * 4, EMPTY]
                and BLACK not in (line[first - 1], line[first + 5])
            })  # fmt: skip
            # A three: one more stone, itself legal and no five, makes a four free at both ends for exactly five.
            threes += any(
                not self.five(cells[i], BLACK) and not self.foul(cells[i], seen)
                for first in range(2, 6) for i in range(first, first + 4)
                if line[i] == EMPTY and line[first : first + 4].count(BLACK) == 3
                and line[first - 1] == line[first + 4] == EMPTY and BLACK not in (line[first - 2], line[first + 5])
            )  # fmt: skip
            if foul := fours >= 2 or threes >= 2 or any(line[i : i + 6].count(BLACK) == 6 for i in range(6)):
                break
        self.put(cell, EMPTY)
        return foul


Walk = Generator["Walk", tuple[int, int], tuple[int, int]]
"""A replay in progress: yields the replays it needs, returns the plies to the five and the footprint."""


class Checker:
    """A certificate read, and its replay. Steps are numbered through all lines."""

    def __init__(self, text: str, limit: int) -> None:
        self.path: list[str] = []
        self.moves, self.following, self.tables, self.table_ends, self.line_starts = (array("i") for _ in range(5))
        self.referred: set[int] = set()
        self.remembered: dict[tuple[int, int, int, int], tuple[int, int]] = {}
        lines = text.split("\n")
        if lines.pop():
            raise Unusable("truncated: the last line is not complete")
        head, at = {}, 0
        for name, form in FIELDS.items():
            word, _, head[name] = lines[at].partition(" ") if at < len(lines) else ("", "", "")
            if word == name:
                at += 1
            elif name == "blocked":
                head[name] = ""
            else:
                raise Unusable(f"header: line {at + 1} does not begin with {name!r}")
            if not re.fullmatch(form, head[name]):
                raise Unusable(f"{name}: {head[name][:20]!r} is nothing that this verifier knows")
        self.width, self.height = map(int, head["size"].split("x"))
        self.board = Board(self.width, self.height, head["rule"], limit)
        for colour, name in enumerate(("black", "white", "blocked")):
            for cell in map(self.cell, head[name].split()):
                if self.board.stone[cell] != EMPTY:
                    raise Unusable(f"stones: {self.name(cell)} is named twice")
                self.board.put(cell, colour)
        claim = head["claim"].split()
        self.turn, self.winner, self.claimed = SIDES.index(head["turn"]), SIDES.index(claim[0]), int(claim[3])
        self.claim = f"{head['claim']}, {head['turn']} to move, {head['rule']} {head['size']}"
        count = len(lines) - at - 1
        if head["tree"] != str(count) or count < 1 or lines[-1] != "end":
            raise Unusable(f"truncated: {head['tree'][:20]} lines and 'end' were announced, {count + 1} follow")
        for number, line in enumerate(lines[at:-1], 1):
            try:
                self.read_line(number, line, number == count)
            except Unusable as error:
                raise Unusable(f"{error}, in line {number} of the tree") from None

    def cell(self, word: str) -> int:
        if match := re.fullmatch(r"(a?)([a-z])([1-9]\d?)", word):
            x, y = ord(match[2]) - 97 + (26 if match[1] else 0), int(match[3]) - 1
            if x < self.width and y < self.height:
                return y * self.board.stride + x
        raise Unusable(f"cell: {word[:20]!r} is no cell of a {self.width}x{self.height} board")

    def name(self, cell: int) -> str:
        y, x = divmod(cell, self.board.stride)
        return f"{'a' if x > 25 else ''}{chr(97 + x % 26)}{y + 1}"

    def read_line(self, number: int, line: str, last: bool) -> None:
        """Appends the steps of one line of the tree. Tables refer to earlier lines only, so there is no cycle."""
        if len(line) > LONGEST_LINE or CHAIN.fullmatch(line) is None:
            raise Unusable("syntax: not a chain of moves and tables, or too long a one")
        self.line_starts.append(len(self.moves))
        for index, word in enumerate(STEP.findall(line)):
            move, _, table = word.rstrip(")").partition("(")
            if (move == "-") != (last and not index and self.turn != self.winner):
                raise Unusable("syntax: '-' stands for the first move of the last line where the loser is to move")
            self.moves.append(NONE if move == "-" else self.cell(move))
            self.following.append(len(self.moves))
            named = set()  # each once: a position must not cost more than its board
            for entry in table.split():
                replies, _, target = entry.partition(":")
                if not re.fullmatch(r"[1-9]\d{0,8}", target) or int(target) >= number:
                    raise Unusable(f"cycle: {entry[:20]!r} does not refer to an earlier line")
                self.referred.add(start := self.line_starts[int(target) - 1])
                for reply in map(self.cell, replies.split(",")):
                    if reply in named:
                        raise Unusable(f"table: {self.name(reply)} is named twice")
                    named.add(reply)
                    self.tables.extend((reply, start))
            self.table_ends.append(len(self.tables))
        self.following[-1] = NONE

    def check(self) -> Verified:
        board = self.board
        for colour in (BLACK, WHITE):
            if any(board.five(cell, colour) for cell in bits(board.sets[colour])):
                raise Refuted(f"over: {SIDES[colour]} has a five before the proof begins")
        plies, _ = self.run((self.walk if self.turn == self.winner else self.answers)(self.line_starts[-1], 0))
        if plies > self.claimed:
            raise Refuted(f"length: the longest defence takes {plies} plies, {self.claimed} are claimed")
        return Verified(self.claim, plies, len(self.line_starts), board.positions)

    @staticmethod
    def run(walk: Walk) -> Any:
        walks, answer = [walk], None  # None starts a walk
        while walks:
            try:
                walks.append(walks[-1].send(answer))  # type: ignore[arg-type]
                answer = None
            except StopIteration as stop:
                answer = stop.value
                walks.pop()
        return answer

    def refute(self, failure: str) -> Refuted:
        return Refuted(f"{failure}, after {' '.join(self.path) or 'no move'}")

    def walk(self, step: int, passes: int) -> Walk:
        """The winner is to move and follows the steps from here. `passes` stones of the loser are still to come: they
        stand outside the footprint that is returned."""
        board, winner, move = self.board, self.winner, self.moves[step]
        key = (step, passes, board.sets[BLACK], board.sets[WHITE])
        if key in self.remembered:
            return self.remembered[key]
        board.count()
        if board.stone[move] != EMPTY:
            raise self.refute(f"occupied: {self.name(move)} is not empty")
        if row := board.five(move, winner):
            return 1, row
        foul, seen = board.forbidden(move, winner)
        if foul:
            raise self.refute(f"foul: {self.name(move)} is forbidden to black")
        board.put(move, winner)
        self.path.append(self.name(move))
        plies, footprint = yield self.answers(step, passes)
        self.path.pop()
        board.put(move, EMPTY)
        answer = plies + 1, footprint | seen | 1 << move
        if step in self.referred and len(self.remembered) < MOST_REMEMBERED:
            self.remembered[key] = answer
        return answer

    def answers(self, step: int, passes: int) -> Walk:
        """The loser is to move: every legal reply must lose."""
        board, winner, following = self.board, self.winner, self.following[step]
        board.count()
        footprint = self.loser_is_quiet(passes)
        fives = [cell for cell in bits(board.near_five(winner, 1)) if board.five(cell, winner)]
        plies, critical = 0, board.sets[EMPTY]
        if fives:
            plies, critical = 2, board.five(fives[0], winner)
            footprint |= critical
        elif following != NONE:
            self.path.append("pass")
            length, critical = yield self.walk(following, passes + 1)
            self.path.pop()
            plies, footprint = length + 1, footprint | critical
        # A listed cell may be occupied where the line is used in another position.
        entries = range(self.table_ends[step - 1] if step else 0, self.table_ends[step], 2)
        trials = {self.tables[i]: self.tables[i + 1] for i in entries if board.stone[self.tables[i]] == EMPTY}
        listed = len(trials)
        for reply in bits(critical & board.sets[EMPTY]):
            trials.setdefault(reply, following)
        for number, (reply, target) in enumerate(trials.items()):
            foul, seen = board.forbidden(reply, 1 - winner)
            if foul:
                footprint |= seen  # there a further stone might make it legal
                continue
            board.put(reply, 1 - winner)
            self.path.append(self.name(reply))
            row = 0 if number < listed else next(filter(None, (board.five(c, winner) for c in fives if c != reply)), 0)
            if not row and target == NONE:
                raise self.refute("unanswered: no line meets this reply")
            length, seen = (1, row) if row else (yield self.walk(target, passes))
            self.path.pop()
            board.put(reply, EMPTY)
            plies, footprint = max(plies, length + 1), footprint | seen
        return plies, footprint

    def loser_is_quiet(self, passes: int) -> int:
        """The loser, to move, neither makes five nor is without a legal reply; the footprint of that."""
        board, loser = self.board, 1 - self.winner
        for cell in bits(board.near_five(loser, 1)):
            if board.five(cell, loser):
                raise self.refute(f"loser's five: {SIDES[loser]} wins at {self.name(cell)}")
        # Stones still to come fill a row that lacks no more than they and the reply.
        footprint = board.near_five(loser, 1 + passes) if passes else 0
        if board.sets[EMPTY].bit_count() <= passes:
            raise self.refute("draw: the board is full")
        for cell in bits(board.sets[EMPTY]):
            foul, seen = board.forbidden(cell, loser)
            if not foul:
                # Something must stay legal, however many of those stones are black.
                return footprint | (seen | board.star[cell] if board.rule == "renju" and loser == BLACK else 0)
        raise self.refute("draw: black has no legal move")


def verify(data: bytes, limit: int = MOST_POSITIONS) -> Verified:
    """Checks a certificate, plain text or packed by gzip. Refuted or Unusable say why it is not accepted."""
    try:
        if data[:2] == b"\x1f\x8b":
            packed = zlib.decompressobj(wbits=31)
            data = packed.decompress(data, LARGEST_TEXT + 1)
            if len(data) <= LARGEST_TEXT and (not packed.eof or packed.unused_data):
                raise Unusable("truncated: the packed file ends early, or something follows it")
        if len(data) > LARGEST_TEXT or data.count(b"\n") > MOST_LINES:
            raise Unusable(f"limit: more than {LARGEST_TEXT} bytes of text, or {MOST_LINES} lines")
        return Checker(data.decode("ascii"), limit).check()
    except (zlib.error, UnicodeDecodeError) as error:
        raise Unusable(f"text: {error}") from None
    except RecursionError:
        raise Unusable("limit: whether a cell is a foul depends on too many others") from None


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Check a certificate of a won game of five in a row.")
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--limit", type=int, default=MOST_POSITIONS, metavar="N", help="positions to look at, at most")
    options = parser.parse_args(arguments)
    try:
        with open(options.file, "rb") as stream:  # noqa: PTH123 - pathlib would be one more import for one call
            found = verify(stream.read(LARGEST_TEXT + 1), options.limit)
        counts = f"{found.lines} lines, {found.positions} positions, longest game {found.plies} plies"
        print(f"VERIFIED {found.claim}: {counts}")
    except Refuted as error:
        print(f"REFUTED {error}")
        return 1
    except (Unusable, OSError) as error:
        print(f"UNUSABLE {error}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
