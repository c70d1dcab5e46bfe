"""`python -m tests.fuzz talk`: long random conversations with the real program, at a few milliseconds a move.

The oracle is a model of the position with slow rules of its own (`protocol_tests`): every request has one reply,
of the right kind, in time, and every move is legal. A conversation is made of the seed and its number alone, so that
any can be replayed; the account says where the next run goes on.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random

from protocol_tests.position import Position
from protocol_tests.process import Brain, Failed
from protocol_tests.rules import BLACK, NOBODY, RENJU, XY, is_foul

RULES = (0, 1, 4, 8, 9)
STEPS = 60
"""Of a conversation."""
CONVERSATIONS = 40
"""With one process; then it gets END and must leave."""
LONGEST_TURN_MS = 12
IMPOSSIBLE = (
    "TURN", "TURN a,b", "TURN 1", "TURN 1,1,1", "START", "START 15x", "START 4", "START 33", "RECTSTART 4,40",
    "PLAY", "PLAY -1,3", "TAKEBACK 99,0", "TURN 1_0,1", "YXNBEST 0", "RECTSTART 10", "TURN 7,7x",
)  # fmt: skip
"""Commands that cannot be obeyed, whatever the position."""
SILENT = (
    "", "   ", "\t", "INFO", "INFO foo bar", "INFO timeout_turn 1x", "INFO rule 77", "STOP", "YXHASHCLEAR",
    "INFO evaluate 1,1", "INFO folder C:\\x", "INFO max_memory -1", "INFO thread_num 0",
)  # fmt: skip
BAD_STONES = ("a,b,c", "99,99,1", "1,1,7", "1,1", "-1,0,2", ",,", "1,1,1,1", "x")


@dataclass
class Account:
    """What was done with this seed so far."""

    seed: int
    conversations: int = 0
    lines: int = 0
    moves: int = 0
    latest_ms: int = 0
    """The latest reply, beyond the time of its turn."""
    found: list[str] = field(default_factory=list)


def run(command: list[str], path: Path, seed: int, lines: int, tolerance_ms: int, only: int | None = None) -> int:
    """Talks until this account has sent `lines` lines; 1 when something was found."""
    account = Account(**json.loads(path.read_text())) if path.exists() and only is None else Account(seed)
    if account.seed != seed:
        raise ValueError(f"{path} is of seed {account.seed}: give another --account")
    told = time.monotonic()
    while account.lines < lines or only is not None:
        first = account.conversations if only is None else only
        talker, number = None, first
        try:
            with Brain(command) as brain:
                brain.analysis = True
                talker = Talker(brain, account, tolerance_ms)
                for number in range(first, first + (CONVERSATIONS if only is None else 1)):
                    talker.converse(Random(f"{seed} {number}"))
                    account.conversations = number + 1
                brain.send("END")
                brain.exits(tolerance_ms)
        except Failed as failure:  # also of what has been said on stderr, which is looked at last
            account.conversations = number + 1
            account.found.append(f"seed {seed} conversation {number}: {failure}")
            print(account.found[-1], "after", *(talker.sent[-30:] if talker else ()), sep="\n  ")
        if only is not None:
            break
        path.write_text(json.dumps(asdict(account)) + "\n")
        if time.monotonic() - told > 30:
            told = time.monotonic()
            print(told_of(account), file=sys.stderr, flush=True)
    print(told_of(account))
    return 1 if account.found else 0


def told_of(account: Account) -> str:
    counts = f"{account.conversations} conversations, {account.lines} lines, {account.moves} moves thought about"
    late = f"latest reply {account.latest_ms} ms beyond its turn"
    return f"seed {account.seed}: {counts}, {late}, {len(account.found)} found"


class Talker:
    """A manager without sense, and what it expects to hear."""

    def __init__(self, brain: Brain, account: Account, tolerance_ms: int) -> None:
        self.brain, self.account, self.tolerance_ms = brain, account, tolerance_ms
        self.position = Position()
        self.yixin = False
        self.sent: list[str] = []
        self.chance = Random()

    def converse(self, chance: Random) -> None:
        self.chance = chance
        self.new_game()
        kinds: list[tuple[Callable[[], None], int]] = [
            (self.inform, 30), (self.play, 16), (self.take_back, 8), (self.turn, 12), (self.board, 5),
            (self.show_board, 8), (self.begin, 2), (self.new_game, 3), (self.garbage, 10), (self.cannot, 10),
            (self.about, 3), (self.ranking, 2), (self.forbidden, 1), (self.stop, 2), (self.interrupt, 2),
        ]  # fmt: skip
        steps, weights = zip(*kinds, strict=True)
        for step in chance.choices(steps, weights, k=STEPS):
            step()

    # Saying and hearing

    def say(self, *lines: str) -> None:
        self.sent += lines
        self.account.lines += len(lines)
        self.yixin = self.yixin or any(line[:2].upper() == "YX" for line in lines)
        self.brain.send(*lines, newline=self.chance.choice(("\n", "\r\n")))

    def hear(self, wanted: str = "") -> str:
        began = time.monotonic()
        line = self.brain.reply(self.tolerance_ms + LONGEST_TURN_MS)
        late = round((time.monotonic() - began) * 1000) - LONGEST_TURN_MS
        self.account.latest_ms = max(self.account.latest_ms, late)
        if not re.match(wanted, line):
            raise Failed(f"expected {wanted!r}, got {line!r}")
        return line

    def hear_move(self) -> None:
        """A legal move, or an error where there is none."""
        self.account.moves += 1
        if self.has_move():
            self.position.moved(self.hear(r"\d"))
        else:
            self.hear("ERROR ")

    def has_move(self) -> bool:
        black = self.position.side == BLACK and self.position.rule == RENJU
        return any(not (black and self.foul(cell)) for cell in self.position.free_cells())

    def foul(self, cell: XY) -> bool:
        return is_foul(self.position.stones, cell, self.position.width, self.position.height)

    def any_cell(self, taken: float = 0.15) -> XY:
        """An empty cell mostly, if there is one."""
        free, stones = self.position.free_cells(), list(self.position.stones)
        if stones and (not free or self.chance.random() < taken):
            return self.chance.choice(stones)
        return self.chance.choice(free)

    # Steps

    def new_game(self) -> None:
        size = self.chance.choice((5, 6, 7, 9, 11, 15, 15, 20, 32))
        rule = self.chance.choice(RULES)
        self.position.rule = rule
        lines = [f"INFO rule {rule}", f"INFO timeout_turn {self.chance.randint(0, LONGEST_TURN_MS)}"]
        if self.chance.random() < 0.05:
            lines.append(f"INFO max_memory {self.chance.randint(70, 350) << 20}")
        other = self.chance.choice((size, 8, 17))
        start = f"START {size}" if other == size else f"RECTSTART {size},{other}"
        self.position.sent(start)
        self.say(*lines, start)
        self.hear("OK$")

    def inform(self) -> None:
        keys = ("timeout_match", "time_left", "max_node", "show_detail", "game_type", "thread_num", "max_depth")
        values = (0, 1, 2, 50, 10**6, 2**40)
        count = self.chance.randint(1, 6)
        lines = [f"INFO {self.chance.choice(keys)} {self.chance.choice(values)}" for _ in range(count)]
        lines += self.chance.choices(SILENT, k=self.chance.randint(0, 4))
        self.say(*lines)

    def play(self) -> None:
        cell = x, y = self.any_cell()
        taken = cell in self.position.stones
        foul = not taken and self.position.rule == RENJU and self.position.side == BLACK and self.foul(cell)
        self.say(f"PLAY {x},{y}")
        self.hear("ERROR " if taken or foul else f"{x},{y}$")
        if not (taken or foul):
            self.position.place(cell)

    def take_back(self) -> None:
        cell = x, y = self.any_cell(0.8)
        colour = self.position.stones.pop(cell, None)
        self.say(f"TAKEBACK {x},{y}")
        self.hear("ERROR " if colour is None else "OK$")
        if colour is not None and colour != NOBODY:
            self.position.side = colour

    def turn(self, *after: str) -> None:
        cell = x, y = self.any_cell()
        self.say(f"TURN {x},{y}", *after)
        if cell in self.position.stones:
            self.hear("ERROR ")
        else:
            self.position.place(cell)
            self.hear_move()

    def stop(self) -> None:
        self.turn(self.chance.choice(("STOP", "YXSTOP")))

    def interrupt(self) -> None:
        """A new game in the middle of a search: its move is dropped, unless it was there before, or Yixin asks."""
        cell = x, y = self.any_cell(taken=0)
        if cell in self.position.stones:
            return
        self.position.place(cell)
        owed = self.yixin and self.has_move()
        self.say(f"TURN {x},{y}", "START 15")
        line = self.hear("OK$|ERROR |\\d")
        if line != "OK":
            if line[0].isdigit():
                self.position.moved(line)
            self.hear("OK$")
        elif owed:
            raise Failed("a Yixin-Board waits for the move of the search that it has interrupted")
        self.position.sent("START 15")

    def stones(self) -> list[str]:
        position = self.position
        cells = [(x, y) for y in range(position.height) for x in range(position.width)]
        some = self.chance.sample(cells, self.chance.randint(0, len(cells) // 3))
        lines = [f"{x},{y},{1 + index % 2}" for index, (x, y) in enumerate(some)]
        if self.chance.random() < 0.3:
            lines = [f"{x},{y},{self.chance.choice((1, 2, 2, 1, 3))}" for x, y in some]
        for _ in range(self.chance.choice((0, 0, 0, 3))):
            lines.insert(self.chance.randint(0, len(lines)), self.chance.choice((*BAD_STONES, *lines[:1])))
        return lines

    def say_list(self, verb: str) -> None:
        lines = [verb, *self.stones(), "DONE"]
        for line in lines:
            self.position.sent(line)
        self.say(*lines)

    def board(self) -> None:
        self.say_list("BOARD")
        self.hear_move()

    def show_board(self) -> None:
        self.say_list("YXBOARD")

    def begin(self) -> None:
        self.say("BEGIN")
        if self.position.stones:
            self.hear("ERROR ")
        else:
            self.hear_move()

    def ranking(self) -> None:
        self.say(f"YXNBEST {self.chance.choice((1, 2, 5, 999))}")
        self.hear_move()

    def forbidden(self) -> None:
        """The cells themselves on small boards only: the oracle is slow."""
        self.say("YXSHOWFORBID")
        line = self.hear(r"FORBID (\d{4})*\.$")
        if self.position.rule != RENJU:
            wanted: set[XY] | None = set()
        elif self.position.width * self.position.height <= 81:
            wanted = {cell for cell in self.position.free_cells() if self.foul(cell)}
        else:
            return
        found = {(int(word[:2]), int(word[2:])) for word in re.findall(r"\d{4}", line)}
        if found != wanted:
            raise Failed(f"forbidden are {sorted(wanted)}, not {sorted(found)}")

    def about(self) -> None:
        self.say("ABOUT")
        self.hear("name=")

    def garbage(self) -> None:
        count = self.chance.choice((0, 3, 40, 40, 3000))
        text = "".join(chr(self.chance.choice((self.chance.randint(32, 255), 0, 9, 32, 44))) for _ in range(count))
        self.say("Z" + text)
        self.hear("UNKNOWN ")

    def cannot(self) -> None:
        self.say(self.chance.choice(IMPOSSIBLE))
        self.hear("ERROR ")
