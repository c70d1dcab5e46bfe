"""Boards of every size, full boards, long lists, undo: positions that no single transcript can hold."""

from __future__ import annotations

import random
import time

from protocol_tests.position import Position
from protocol_tests.process import Brain, Failed
from protocol_tests.registry import Run, check


class Talk:
    """A brain and the position its conversation has led to."""

    def __init__(self, brain: Brain) -> None:
        self.brain = brain
        self.position = Position()

    def say(self, *lines: str) -> None:
        for line in lines:
            self.position.sent(line)
        self.brain.send(*lines)

    def move(self, ms: float = 1000) -> tuple[int, int]:
        return self.position.moved(self.brain.reply(ms))

    def start(self, size: int, *info: str) -> None:
        self.say(f"START {size}", *(f"INFO {line}" for line in info))
        self.brain.expect("OK", 3000)


@check(14)
def every_size(run: Run) -> None:
    with run.brain() as brain:
        talk = Talk(brain)
        for size in range(5, 33):
            talk.start(size, "timeout_turn 20")
            talk.say("BEGIN")
            talk.move()
            talk.say("TURN 0,0")
            talk.move()


@check(15)
def a_small_board_is_played_to_the_end(run: Run) -> None:
    chance = random.Random(15)
    with run.brain() as brain:
        for rule in (0, 1, 8, 9):
            talk = Talk(brain)
            talk.start(5, f"rule {rule}", "timeout_turn 20")
            while cells := talk.position.free_cells():
                x, y = chance.choice(cells)
                talk.say(f"TURN {x},{y}")
                if not talk.position.free_cells():
                    if not (line := brain.reply()).startswith("ERROR"):
                        raise Failed(f"the board is full, but the answer is {line!r}")
                    break
                talk.move()
            brain.alive()


@check(17)
def start_before_every_position(run: Run) -> None:
    with run.brain() as brain:
        talk = Talk(brain)
        before = 0
        for round_ in range(50):
            talk.say("START 15")
            brain.expect("OK", 3000 if round_ == 0 else 50)
            talk.say("INFO timeout_turn 20", "BOARD 7,7,1 8,8,2 7,8,1 8,9,2 DONE")
            talk.move()
            if round_ == 9:
                before = _settled_bytes(brain)
        # A search tree may fill up a little; boards and tables of 40 games would be more than this.
        if (after := brain.private_bytes()) > before + (32 << 20):
            raise Failed(f"memory grew from {before} to {after} bytes")


def _settled_bytes(brain: Brain) -> int:
    """Private memory once it stays the same: a network may still be loading."""
    sizes = [0]
    while len(sizes) < 60 and (len(sizes) < 5 or max(sizes[-4:]) - min(sizes[-4:]) > 1 << 20):
        time.sleep(0.5)
        sizes.append(brain.private_bytes())
    return sizes[-1]


@check(40)
def thirty_turns(run: Run) -> None:
    chance = random.Random(40)
    with run.brain() as brain:
        talk = Talk(brain)
        talk.start(20, "timeout_turn 30")
        for _ in range(30):
            x, y = chance.choice(talk.position.free_cells())
            talk.say(f"TURN {x},{y}")
            talk.move()


def _draw(width: int, height: int) -> list[tuple[int, int, int]]:
    """A full board without five in a row: rows in pairs of two, shifted."""
    cells = [(x, y, 1 + (x // 2 + y) % 2) for y in range(height) for x in range(width)]
    return sorted(cells, key=lambda stone: stone[2])


@check(61)
def full_board_and_one_empty_cell(run: Run) -> None:
    with run.brain() as brain:
        talk = Talk(brain)
        talk.start(10, "timeout_turn 100")
        stones = _draw(10, 10)
        talk.say("BOARD", *(f"{x},{y},{field}" for x, y, field in stones), "DONE")
        if not (line := brain.reply()).startswith("ERROR"):
            raise Failed(f"the board is full, but the answer is {line!r}")
        brain.alive()
        last = (3, 4)
        talk.say("BOARD", *(f"{x},{y},{field}" for x, y, field in stones if (x, y) != last), "DONE")
        if (cell := talk.move()) != last:
            raise Failed(f"only {last} is empty, but the answer is {cell}")


@check(63)
def a_list_of_399_stones(run: Run) -> None:
    with run.brain() as brain:
        talk = Talk(brain)
        talk.start(20, "timeout_turn 200")
        stones = [stone for stone in _draw(20, 20) if stone[:2] != (0, 0)]
        talk.say("BOARD", *(f"{x},{y},{field}" for x, y, field in stones), "DONE")
        talk.move()


@check(66)
def undo_as_piskvork_does_it(run: Run) -> None:
    with run.brain() as brain:
        talk = Talk(brain)
        talk.start(15, "timeout_turn 50")
        for _ in range(3):
            talk.say("TURN 5,5")
            x, y = talk.move()
            for cell in (f"{x},{y}", "5,5"):
                talk.say(f"TAKEBACK {cell}")
                brain.expect("OK")


@check(70)
def swap2_stones_are_new_and_different(run: Run) -> None:
    listed = ((1, 1), (3, 2), (1, 4), (7, 7), (8, 9))
    with run.brain() as brain:
        talk = Talk(brain)
        talk.start(15, "rule 1", "timeout_turn 300")
        for count in (0, 3, 5):
            talk.say("SWAP2BOARD", *(f"{x},{y}" for x, y in listed[:count]), "DONE")
            line = brain.reply()
            for word in line.split() if line != "SWAP" else ():
                talk.position.moved(word)
