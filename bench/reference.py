"""The rules of the game and a checker of claimed wins, written from the definitions, slow and plain.

It imports nothing of ours, so that it can disagree with the core. It owns winning lines, renju fouls, and the
replay of VCF lines and VCT proofs against every reply; it knows no shapes, tables or engine.

A cell is (x, y), both from 0. Colours and rules carry the same numbers as in the protocol and the core.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

BLACK, WHITE, BLOCKED, EMPTY = 0, 1, 2, 3
FREESTYLE, STANDARD, RENJU, CARO_OVERLINE, CARO = 0, 1, 4, 8, 9
RULES = (FREESTYLE, STANDARD, RENJU, CARO_OVERLINE, CARO)
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))

Cell = tuple[int, int]


@dataclass(frozen=True)
class Position:
    """A board seen once: `with_stone` gives another one."""

    width: int
    height: int
    rule: int
    stones: Mapping[Cell, int] = field(default_factory=dict)  # BLACK, WHITE or BLOCKED; empty cells absent
    side: int = BLACK

    def on_board(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.width and 0 <= cell[1] < self.height

    def stone(self, cell: Cell) -> int:
        return self.stones.get(cell, EMPTY)

    def is_empty(self, cell: Cell) -> bool:
        return self.on_board(cell) and cell not in self.stones

    def empty_cells(self) -> Iterator[Cell]:
        return ((x, y) for y in range(self.height) for x in range(self.width) if (x, y) not in self.stones)

    def with_stone(self, cell: Cell, colour: int) -> Position:
        """The position after a stone of `colour` on an empty cell; the other colour is to move."""
        assert self.is_empty(cell), f"{cell} is not an empty cell"
        return Position(self.width, self.height, self.rule, {**self.stones, cell: colour}, 1 - colour)


class Proof(NamedTuple):
    """A win by threats: play `move`; after a reply in `replies` go on there, after any other play `threat`.

    `threat` is a VCF line, attacker first. Where `move` makes five, or fours that win whatever the reply,
    `replies` is empty.
    """

    move: Cell
    replies: Mapping[Cell, Proof]
    threat: Sequence[Cell]


def from_drawing(drawing: str, rule: int, side: int = BLACK) -> Position:
    """Read an ASCII board, top row first: x black, o white, # a stone of nobody, anything else empty."""
    rows = [line.split() for line in drawing.strip().splitlines()]
    assert len({len(row) for row in rows}) == 1, "every row needs the same number of cells"
    colours = {"x": BLACK, "o": WHITE, "#": BLOCKED}
    stones = {
        (x, y): colours[mark] for y, row in enumerate(rows) for x, mark in enumerate(row) if mark in colours
    }
    return Position(len(rows[0]), len(rows), rule, stones, side)


# --- Winning lines


def _step(cell: Cell, direction: Cell, distance: int) -> Cell:
    return cell[0] + distance * direction[0], cell[1] + distance * direction[1]


def _reach(position: Position, cell: Cell, colour: int, direction: Cell, sense: int) -> int:
    """How many stones of `colour` follow `cell` without a gap, `cell` itself not counted."""
    count = 0
    while position.stone(_step(cell, direction, sense * (count + 1))) == colour:
        count += 1
    return count


def run_length(position: Position, cell: Cell, colour: int, direction: Cell) -> int:
    """Length of the unbroken row of `colour` through `cell` if `cell` held such a stone."""
    ahead = _reach(position, cell, colour, direction, 1)
    return 1 + ahead + _reach(position, cell, colour, direction, -1)


def _is_five_along(position: Position, cell: Cell, colour: int, direction: Cell) -> bool:
    length = run_length(position, cell, colour, direction)
    if length < 5:
        return False
    if position.rule == FREESTYLE or (position.rule == RENJU and colour == WHITE):
        return True
    if length > 5:
        return position.rule == CARO_OVERLINE
    if position.rule in (CARO, CARO_OVERLINE):
        ahead = _step(cell, direction, _reach(position, cell, colour, direction, 1) + 1)
        behind = _step(cell, direction, -_reach(position, cell, colour, direction, -1) - 1)
        # The board's edge blocks nothing, and holds no stone.
        return position.stone(ahead) == EMPTY or position.stone(behind) == EMPTY
    return True


def makes_five(position: Position, cell: Cell, colour: int) -> bool:
    """Does a stone of `colour` on `cell` win at once?"""
    return any(_is_five_along(position, cell, colour, direction) for direction in DIRECTIONS)


def winning_cells(position: Position, colour: int) -> list[Cell]:
    """Every empty cell where a stone of `colour` wins at once."""
    return [cell for cell in position.empty_cells() if makes_five(position, cell, colour)]


# --- Renju fouls


def _windows(cell: Cell, direction: Cell, length: int) -> Iterator[list[Cell]]:
    """Every row of `length` cells along `direction` that contains `cell`."""
    for first in range(1 - length, 1):
        yield [_step(cell, direction, first + i) for i in range(length)]


def _split(position: Position, cells: list[Cell]) -> tuple[list[Cell], list[Cell]]:
    """The cells with black stones and the empty ones."""
    black = [cell for cell in cells if position.stone(cell) == BLACK]
    return black, [cell for cell in cells if position.is_empty(cell)]


def count_fours(position: Position, cell: Cell) -> int:
    """How many fours the black stone on `cell` belongs to.

    A four is four black stones that one more stone turns into exactly five; a straight four has two such
    cells and is still one four, while two different sets of four stones on one line are two.
    """
    count = 0
    for direction in DIRECTIONS:
        fours = set()
        for window in _windows(cell, direction, 5):
            black, empty = _split(position, window)
            if len(black) == 4 and len(empty) == 1 and run_length(position, empty[0], BLACK, direction) == 5:
                fours.add(frozenset(black))
        count += len(fours)
    return count


def _straight_four_cells(position: Position, cell: Cell, direction: Cell) -> Iterator[Cell]:
    """Where one more black stone makes, with the one on `cell`, a four free at both ends for exactly five."""
    for window in _windows(cell, direction, 4):
        black, empty = _split(position, window)
        ends = (_step(window[0], direction, -1), _step(window[-1], direction, 1))
        beyond = (_step(window[0], direction, -2), _step(window[-1], direction, 2))
        straight = all(position.is_empty(end) for end in ends)
        exact = all(position.stone(far) != BLACK for far in beyond)
        if len(black) == 3 and len(empty) == 1 and straight and exact:
            yield empty[0]


def _is_three(position: Position, cell: Cell, direction: Cell) -> bool:
    """Can black, by one legal stone that does not win, make a straight four with the stone on `cell`?"""
    return any(
        not makes_five(position, four, BLACK) and not is_foul(position, four)
        for four in _straight_four_cells(position, cell, direction)
    )


def is_foul(position: Position, cell: Cell) -> bool:
    """Is black forbidden to play on the empty `cell`? Only renju forbids anything."""
    if position.rule != RENJU or makes_five(position, cell, BLACK):
        return False
    if any(run_length(position, cell, BLACK, direction) >= 6 for direction in DIRECTIONS):
        return True
    after = position.with_stone(cell, BLACK)
    if count_fours(after, cell) >= 2:
        return True
    return sum(_is_three(after, cell, direction) for direction in DIRECTIONS) >= 2


def is_legal(position: Position, cell: Cell, colour: int) -> bool:
    """May `colour` put a stone on `cell`?"""
    return position.is_empty(cell) and not (colour == BLACK and is_foul(position, cell))


# --- Claimed wins


def _stopping_cells(position: Position, cell: Cell) -> Iterator[Cell]:
    """Empty cells where a stone could spoil a five on `cell`: the row and its ends lie within distance 5."""
    if position.is_empty(cell):
        yield cell
    for direction in DIRECTIONS:
        for distance in (-5, -4, -3, -2, -1, 1, 2, 3, 4, 5):
            near = _step(cell, direction, distance)
            if position.is_empty(near):
                yield near


def defences(position: Position, attacker: int) -> list[Cell]:
    """The defender's legal replies after which the attacker, who has a winning cell now, has none left.

    A reply elsewhere loses at once. The defender's own fives are not looked at.
    """
    winning = winning_cells(position, attacker)
    assert winning, "nothing to defend against"
    found = []
    for reply in _stopping_cells(position, winning[0]):
        after = position.with_stone(reply, 1 - attacker)
        # A stone of the defender never gives the attacker a new winning cell, so only the known ones count.
        if any(cell != reply and makes_five(after, cell, attacker) for cell in winning):
            continue
        if is_legal(position, reply, 1 - attacker):
            found.append(reply)
    return found


def why_vcf_fails(position: Position, attacker: int, line: Sequence[Cell]) -> str | None:
    """Replay a VCF line (attacker, defender, attacker, ...) against every reply; the flaw, or None.

    Each move of the attacker must win at once or threaten to. The line may stop at a four that no legal reply
    stops. A defence beside the one in the line (caro has such, at the ends of the row) must lose to the rest
    of the line as well, or to some other VCF no longer than that.
    """
    if not line:
        return "the line stops before the win"
    move, rest = line[0], line[1:]
    if not is_legal(position, move, attacker):
        return f"{move} is not a legal move"
    if makes_five(position, move, attacker):
        return f"the line goes on after five at {move}" if rest else None
    after = position.with_stone(move, attacker)
    if not winning_cells(after, attacker):
        return f"{move} makes no four"
    if winning_cells(after, 1 - attacker):
        return f"{move} lets the defender make five"
    replies = defences(after, attacker)
    if rest and not replies:
        return _why_no_last_five(after, attacker, rest)
    if rest and rest[0] not in replies:
        return f"{rest[0]} does not stop the four at {move}"
    for reply in replies:
        then = after.with_stone(reply, 1 - attacker)
        flaw = why_vcf_fails(then, attacker, rest[1:])
        if flaw is None:
            continue
        if not rest or reply == rest[0]:
            return f"{move} {reply}: {flaw}"
        if find_vcf(then, attacker, len(rest) // 2) is None:
            return f"{move} is answered at {reply}"
    return None


def _why_no_last_five(position: Position, attacker: int, rest: Sequence[Cell]) -> str | None:
    """No reply stops the fours; a line that shows one all the same must end with the five that follows."""
    if len(rest) == 2 and is_legal(position, rest[0], 1 - attacker):
        then = position.with_stone(rest[0], 1 - attacker)
        if is_legal(then, rest[1], attacker) and makes_five(then, rest[1], attacker):
            return None
    return "the line does not end with the five that nobody can stop"


def verify_vcf(position: Position, attacker: int, line: Sequence[Cell]) -> bool:
    """Does the line win by continuous fours for `attacker`, who moves first, whatever the defender does?"""
    return why_vcf_fails(position, attacker, line) is None


def _could_make_four(position: Position, cell: Cell, colour: int) -> bool:
    """A new four needs, under every rule, three stones and no foreign one in a row of five through `cell`."""
    return any(
        sum(position.stone(near) == colour for near in window) >= 3
        and all(position.on_board(near) and position.stone(near) in (colour, EMPTY) for near in window)
        for direction in DIRECTIONS
        for window in _windows(cell, direction, 5)
    )


def find_vcf(position: Position, attacker: int, max_moves: int) -> list[Cell] | None:
    """Search plainly for a VCF of at most `max_moves` attacking moves, attacker to move: a line or None."""
    if max_moves <= 0:
        return None
    winning = winning_cells(position, attacker)
    if winning:
        return [winning[0]]
    for move in position.empty_cells():
        if not _could_make_four(position, move, attacker):
            continue
        if not is_legal(position, move, attacker):
            continue
        after = position.with_stone(move, attacker)
        if not winning_cells(after, attacker) or winning_cells(after, 1 - attacker):
            continue
        line = [move]
        for reply in defences(after, attacker):
            answer = find_vcf(after.with_stone(reply, 1 - attacker), attacker, max_moves - 1)
            if answer is None:
                break
            line = [move, reply, *answer]
        else:
            return line
    return None


def _count_apparent_threes(position: Position, cell: Cell) -> int:
    """How many threes the black stone on `cell` belongs to if fouls are left out of account."""
    return sum(any(True for _ in _straight_four_cells(position, cell, direction)) for direction in DIRECTIONS)


def _spoilers(position: Position, cell: Cell, attacker: int) -> set[Cell]:
    """Where a stone of the defender takes away the attacker's five on `cell`."""
    return {
        reply
        for reply in _stopping_cells(position, cell)
        if reply == cell or not makes_five(position.with_stone(reply, 1 - attacker), cell, attacker)
    }


def _replies_that_matter(position: Position, attacker: int, line: Sequence[Cell]) -> set[Cell] | None:
    """Where a stone of the defender, put down before the line starts, could upset it; None if unclear.

    The line is known to win without such a stone. It goes on winning unless the stone occupies a cell of the
    line, takes away a five, or helps the defender to a four. What it changes about fouls is left unclear.
    """
    move, rest = line[0], line[1:]
    matter = set(line)
    if makes_five(position, move, attacker):
        return matter | _spoilers(position, move, attacker)
    after = position.with_stone(move, attacker)
    if position.rule == RENJU and attacker == BLACK and _count_apparent_threes(after, move) >= 2:
        return None
    winning = winning_cells(after, attacker)
    spoilers = [_spoilers(after, cell, attacker) for cell in winning]
    matter.update(*spoilers)
    matter.update(cell for cell in after.empty_cells() if _could_make_four(after, cell, 1 - attacker))
    replies = defences(after, attacker)
    if len(replies) != len(set.intersection(*spoilers)):
        return None  # a foul shuts out a reply
    for reply in replies:
        then = after.with_stone(reply, 1 - attacker)
        if not verify_vcf(then, attacker, rest[1:]):
            return None
        later = _replies_that_matter(then, attacker, rest[1:])
        if later is None:
            return None
        matter |= later
    return matter


def why_vct_fails(position: Position, attacker: int, proof: Proof, every_reply: bool = False) -> str | None:
    """Replay a proof against every legal reply; the flaw, or None if it wins. The attacker is to move.

    Replies too far away to disturb the threat line are passed over unless `every_reply` is set. Parts of a
    proof that several orders of moves share are replayed once.
    """
    return _why_proof_fails(position, attacker, proof, every_reply, set())


def _why_proof_fails(
    position: Position, attacker: int, proof: Proof, every_reply: bool, held: set[object]
) -> str | None:
    move, replies, threat = proof
    if not is_legal(position, move, attacker):
        return f"{move} is not a legal move"
    if makes_five(position, move, attacker):
        return None
    key = frozenset(position.stones.items()), id(proof)
    if key in held:
        return None
    after = position.with_stone(move, attacker)
    if winning_cells(after, 1 - attacker):
        return f"{move} lets the defender make five"
    matter = None
    if not every_reply and verify_vcf(after, attacker, threat):
        matter = _replies_that_matter(after, attacker, threat)
    for reply in after.empty_cells():
        far_away = matter is not None and reply not in matter and reply not in replies
        if far_away or not is_legal(after, reply, 1 - attacker):
            continue
        then = after.with_stone(reply, 1 - attacker)
        if reply in replies:
            flaw = _why_proof_fails(then, attacker, replies[reply], every_reply, held)
        else:
            flaw = why_vcf_fails(then, attacker, threat)
        if flaw is not None:
            return f"{move} {reply}: {flaw}"
    held.add(key)
    return None


def verify_vct(position: Position, attacker: int, proof: Proof) -> bool:
    """Does the proof win for `attacker`, who moves first, whatever the defender does?"""
    return why_vct_fails(position, attacker, proof) is None
