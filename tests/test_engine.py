"""The match behind the protocol, without text or threads."""

import os
import random

import pytest

import cython_core as core
from brain import opening
from brain.clock import Limits, Timer
from brain.engine import Engine, ProtocolError
from brain.records import Analysis, Decision, Line, OnUpdate, Request, Resources, Task


class Scripted:
    """A thinker that answers from a list and remembers how it was used."""

    def __init__(self, say: object = None) -> None:
        self.answers: list[int] = []
        self.values: list[float] = []
        self.limits: list[Limits] = []
        self.forgotten = 0

    def forget(self) -> None:
        self.forgotten += 1

    def analyse(self, request: Request, timer: Timer, on_update: OnUpdate | None = None) -> Analysis:
        self.limits.append(timer.limits)
        free = request.board.legal_cells()
        if self.answers:
            free.insert(0, self.answers.pop(0))
        value = self.values.pop(0) if self.values else 0.5
        return Analysis(tuple(Line(cell, value) for cell in free[: request.lines]), 1, 0.0)


def new_engine(size: int = 15, **info: object) -> Engine:
    engine = Engine(startup=lambda: 0.0, make_thinker=Scripted, chance=random.Random(1))  # type: ignore[arg-type]
    for key, value in info.items():
        engine.inform(key, str(value))
    engine.start(size, size)
    return engine


def decided(engine: Engine, request: Request) -> Decision:
    return engine.known(request) or engine.decide(request, Timer(request.limits))


def answered(engine: Engine, request: Request) -> tuple[int, int]:
    return engine.commit(request, decided(engine, request), now=request.limits.started + 1.0).moves[0]


def colours(engine: Engine) -> dict[tuple[int, int], int]:
    assert engine._board is not None
    return {core.xy(cell): colour for cell, colour in engine._board.history}


def test_begin_takes_the_centre_and_turns_alternate() -> None:
    engine = new_engine()
    assert answered(engine, engine.begin(0.0)) == (7, 7)
    x, y = answered(engine, engine.turn(0, 0, 10.0))
    assert colours(engine) == {(7, 7): core.BLACK, (0, 0): core.WHITE, (x, y): core.BLACK}


@pytest.mark.parametrize(("x", "y"), [(15, 0), (0, 15), (-1, 3), (7, 7)])
def test_a_refused_turn_leaves_the_position_alone(x: int, y: int) -> None:
    engine = new_engine()
    answered(engine, engine.begin(0.0))
    before = colours(engine)
    with pytest.raises(ProtocolError):
        engine.turn(x, y, 0.0)
    assert colours(engine) == before


@pytest.mark.parametrize(
    "verb", [lambda e: e.begin(0.0), lambda e: e.turn(1, 1, 0.0), lambda e: e.board([], 0, 0.0), lambda e: e.restart(),
             lambda e: e.take_back(1, 1), lambda e: e.play(1, 1), lambda e: e.best(3, 0.0), lambda e: e.fouls()]
)  # fmt: skip
def test_nothing_works_before_start(verb: object) -> None:
    with pytest.raises(ProtocolError):
        verb(Engine(make_thinker=Scripted))  # type: ignore[operator, arg-type]


@pytest.mark.parametrize("size", [-5, 0, 4, 33, 100])
def test_unsupported_sizes_name_twenty(size: int) -> None:
    engine = new_engine()
    with pytest.raises(ProtocolError, match="20"):
        engine.start(size, size)
    assert engine.height == 15


def test_board_counts_decide_our_colour() -> None:
    engine = new_engine()
    request = engine.board([(7, 7, 1), (8, 8, 2)], 0, 0.0)
    assert request.board.side == core.BLACK and colours(engine)[7, 7] == core.BLACK
    request = engine.board([(7, 7, 2), (8, 8, 1), (9, 9, 2)], 0, 0.0)
    assert request.board.side == core.WHITE and colours(engine)[7, 7] == core.BLACK


def test_unusable_stones_are_skipped_and_noted_once() -> None:
    notes: list[str] = []
    engine = new_engine()
    engine.note = notes.append
    engine.set_position([(7, 7, 1), (7, 7, 2), (99, 0, 1), (3, 3, 5), (8, 8, 2), (4, 4, 3)], bad=2)
    assert colours(engine) == {(7, 7): core.BLACK, (8, 8): core.WHITE, (4, 4): core.BLOCKED}
    assert len(notes) == 1 and "5" in notes[0]


def test_everything_odd_about_a_position_is_one_note() -> None:
    notes: list[str] = []
    engine = new_engine()
    engine.note = notes.append
    engine.set_position([(7, 7, 1), (8, 8, 1), (99, 0, 1)])
    assert notes == ["1 unusable entries of the position were skipped; 2 own stones against 0: the colours are a guess"]


def test_the_rule_may_come_after_the_stones() -> None:
    engine = new_engine()
    cross = [(6, 7, 1), (0, 0, 2), (8, 7, 1), (0, 2, 2), (7, 6, 1), (0, 4, 2), (7, 8, 1), (0, 6, 2)]
    engine.set_position(cross)
    assert engine.fouls() == []
    engine.inform("rule", "4")
    assert engine.fouls() == [(7, 7)]
    with pytest.raises(ProtocolError):
        engine.play(7, 7)


def test_take_back_newest_and_older_stones() -> None:
    engine = new_engine()
    engine.set_position([(7, 7, 1), (8, 8, 2), (7, 8, 1), (8, 9, 2)])
    engine.take_back(8, 9)
    engine.take_back(7, 7)
    assert colours(engine) == {(8, 8): core.WHITE, (7, 8): core.BLACK}
    request = engine.turn(3, 3, 0.0)
    assert colours(engine)[3, 3] == core.BLACK and request.board.side == core.WHITE
    with pytest.raises(ProtocolError):
        engine.take_back(7, 7)


def test_a_full_board_and_a_board_of_fouls_have_no_move() -> None:
    engine = new_engine(5)
    stones = [(x, y, 1 + (x // 2 + y) % 2) for y in range(5) for x in range(5)]
    with pytest.raises(ProtocolError, match="legal"):
        engine.board(stones, 0, 0.0)


def test_a_turn_that_fills_the_board_stands() -> None:
    engine = new_engine(5)
    engine.set_position([(x, y, 1 + (x // 2 + y) % 2) for y in range(5) for x in range(5) if (x, y) != (4, 4)])
    with pytest.raises(ProtocolError, match="legal"):
        engine.turn(4, 4, 0.0)
    engine.take_back(4, 4)


def test_restart_forgets_and_start_does_not() -> None:
    engine = new_engine()
    engine.start(15, 15)
    assert engine.thinker.forgotten == 0  # type: ignore[attr-defined]
    engine.restart()
    assert engine.thinker.forgotten == 1  # type: ignore[attr-defined]


def test_thinking_is_charged_to_the_match_and_start_begins_a_new_one() -> None:
    engine = new_engine(timeout_match=180_000)
    answered(engine, engine.turn(7, 7, 100.0))
    assert engine.account.spent_s == pytest.approx(1.0, abs=0.05)
    engine.start(15, 15)
    assert engine.account.spent_s == 0.0


def test_a_position_with_fewer_stones_is_a_new_match() -> None:
    engine = new_engine()
    answered(engine, engine.board([(7, 7, 1), (8, 8, 2)], 0, 0.0))
    assert engine.account.spent_s > 0.9
    engine.board([(7, 7, 2)], 0, 5.0)
    assert engine.account.spent_s == 0.0


def test_time_left_before_start_counts_for_the_new_match() -> None:
    engine = new_engine(timeout_turn=30_000)
    answered(engine, engine.turn(7, 7, 0.0))
    engine.inform("time_left", "5000")
    engine.start(15, 15)
    request = engine.board([(7, 7, 1), (8, 8, 2)], 0, 10.0)
    assert request.limits.maximum_s < 1.0
    engine.inform("time_left", "nonsense")
    assert engine.account.left_ms == 5000


def test_start_up_is_charged_to_the_first_move_only() -> None:
    engine = Engine(startup=lambda: 0.2, make_thinker=Scripted)  # type: ignore[arg-type]
    engine.start(15, 15)
    first = engine.turn(7, 7, 100.0)
    assert first.limits.started == pytest.approx(99.8)
    engine.commit(first, decided(engine, first), 100.1)
    assert engine.turn(14, 14, 110.0).limits.started == 110.0


def test_info_shortens_a_running_search_but_never_extends_it() -> None:
    engine = new_engine(timeout_turn=30_000)
    request = engine.board([(7, 7, 1), (8, 8, 2)], 0, 100.0)
    timer = Timer(request.limits)

    def deadline_after(turn_ms: int) -> float:
        engine.inform("timeout_turn", str(turn_ms))
        timer.shorten(engine.limits_of(request))
        return timer.deadline

    assert deadline_after(60_000) == request.limits.deadline
    assert 100.3 < deadline_after(500) < 100.5
    assert deadline_after(0) < 100.05
    assert deadline_after(60_000) < 100.05


def test_memory_and_threads_are_part_of_the_next_request() -> None:
    engine = new_engine(max_memory=83_886_080, thread_num=400, hash_size=8192)
    request = engine.board([(7, 7, 1), (8, 8, 2)], 0, 0.0)
    assert request.resources == Resources(83_886_080, os.cpu_count() or 1, 8 << 20)


def test_a_foul_thought_of_before_the_rule_changed_is_not_played() -> None:
    engine = new_engine()
    fours = [(4, 7, 1), (5, 7, 1), (6, 7, 1), (7, 4, 1), (7, 5, 1), (7, 6, 1)]
    request = engine.board([*fours, (3, 7, 2), (7, 3, 2), (0, 0, 2), (0, 2, 2), (0, 4, 2), (0, 6, 2)], 0, 0.0)
    double_four = Decision((core.cell(7, 7),))
    engine.inform("rule", "4")
    assert engine.commit(request, double_four, 1.0).cells != double_four.cells
    assert engine.account.spent_s < 1.1, "charged once"


def test_an_illegal_decision_is_not_played() -> None:
    engine = new_engine()
    request = engine.board([(7, 7, 1), (8, 8, 2)], 0, 0.0)
    with pytest.raises(AssertionError, match="illegal"):
        engine.commit(request, Decision((core.cell(7, 7),)), 1.0)
    rescued = engine.commit(request, engine.rescue(Task.MOVE), 1.0)
    assert rescued.moves[0] not in ((7, 7), (8, 8))


def test_every_size_has_a_first_move_and_a_reply_to_it() -> None:
    for width in range(core.MIN_SIZE, core.MAX_SIZE + 1):
        for height in {core.MIN_SIZE, width, core.MAX_SIZE}:
            board = core.Board(width, height, core.RENJU)
            first = opening.first_move(board)
            assert first == core.cell(width // 2, height // 2)
            for cell in (first, core.cell(0, 0), core.cell(width - 1, height - 2)):
                board.play(cell)
                reply = opening.first_move(board)
                assert reply is not None and board.legal(reply)
                board.undo()


def test_three_stones_fit_every_board() -> None:
    for size in range(core.MIN_SIZE, core.MAX_SIZE + 1):
        board = core.Board(size, size, core.STANDARD)
        for seed in range(40):
            cells = opening.three_stones(board, random.Random(seed))
            assert len(set(cells)) == 3 and all(board.on_board(cell) for cell in cells)


def swap2_choice(stones: list[tuple[int, int]], values: list[float]) -> Decision:
    engine = new_engine(rule=1, timeout_turn=1000)
    engine.thinker.values = values  # type: ignore[attr-defined]
    request = engine.swap2(stones, 0, 0.0)
    return engine.commit(request, decided(engine, request), 0.5)


THREE = [(1, 1), (3, 2), (1, 4)]
FIVE = [*THREE, (7, 7), (8, 9)]


def test_swap2_offers_the_most_even_of_some_openings() -> None:
    chance = random.Random(20)
    board = core.Board(15, 15, core.STANDARD)
    candidates = [opening.three_stones(board, chance) for _ in range(opening.CANDIDATES)]
    engine = new_engine(rule=1, timeout_turn=1000)
    engine.chance = random.Random(20)
    engine.thinker.values = [0.4, 0.7, 0.52, 0.45]  # type: ignore[attr-defined]
    assert decided(engine, engine.swap2([], 0, 0.0)).cells == candidates[2]


def test_swap2_takes_the_better_colour() -> None:
    assert swap2_choice(THREE, [0.2]).swap
    assert len(swap2_choice(THREE, [0.8]).cells) == 1
    assert swap2_choice(FIVE, [0.49]).swap
    assert len(swap2_choice(FIVE, [0.51]).cells) == 1


def test_swap2_balances_an_even_position_further() -> None:
    assert len(swap2_choice(THREE, [0.52, 0.5, 0.6, 0.51, 0.6]).cells) == 2
    assert len(swap2_choice(THREE, [0.51, 0.5, 0.6, 0.7, 0.6]).cells) == 1


def test_swap2_does_not_give_a_lead_away() -> None:
    assert len(swap2_choice(THREE, [0.55, 0.5, 0.6, 0.51, 0.6]).cells) == 1
    assert swap2_choice(THREE, [0.45, 0.5, 0.6, 0.51, 0.6]).swap


def test_swap2_thinks_within_its_limits() -> None:
    engine = new_engine(rule=1, timeout_turn=1000)
    for stones in ([], THREE, FIVE):
        request = engine.swap2(stones, 0, 0.0)
        decided(engine, request)
        assert engine.thinker.limits  # type: ignore[attr-defined]
        assert all(used.deadline <= request.limits.deadline for used in engine.thinker.limits)  # type: ignore[attr-defined]


REFUSED = [[(1, 1)], THREE[:2], FIVE[:4], [*FIVE, (9, 9)], [(1, 1), (1, 1), (2, 2)], [(1, 1), (2, 2), (15, 0)]]


@pytest.mark.parametrize("stones", REFUSED)
def test_swap2_refuses_other_counts_and_bad_stones(stones: list[tuple[int, int]]) -> None:
    with pytest.raises(ProtocolError):
        new_engine().swap2(stones, 0, 0.0)


def test_an_impossible_memory_limit_is_complained_about_once_with_the_next_move() -> None:
    said: list[str] = []
    engine = new_engine()
    engine.say = said.append
    engine.inform("max_memory", "1048576")
    assert said == []
    answered(engine, engine.begin(0.0))
    answered(engine, engine.turn(0, 0, 5.0))
    assert len(said) == 1 and "70 MB" in said[0]


def test_a_rescued_move_still_makes_and_stops_fives() -> None:
    engine = new_engine()
    four, other = [(7, 7), (8, 7), (9, 7), (10, 7)], [(0, 0), (0, 2), (0, 4), (11, 7)]
    engine.board([(*cell, 1) for cell in four] + [(*cell, 2) for cell in other], 0, 0.0)
    assert engine.rescue(Task.MOVE).moves == ((6, 7),)
    engine.board([(*cell, 2) for cell in four] + [(*cell, 1) for cell in other], 0, 0.0)
    assert engine.rescue(Task.MOVE).moves == ((6, 7),)


@pytest.mark.parametrize(("rule", "own", "their"), [
    (9, range(5, 10), (4, 10)),  # a five between two stones of the other side is none in caro
    (1, (5, 6, 7, 8, 9, 10), ()),  # six in a row, of which the first five come first
])  # fmt: skip
def test_a_position_may_be_told_in_any_order(rule: int, own: range, their: tuple[int, ...]) -> None:
    stones = [(x, 7, 1) for x in own] + [(x, 7, 2) for x in their]
    stones += [(2 * x, 13, 2) for x in range(len(own) - len(their))]
    engine = new_engine(rule=rule)
    engine.set_position(stones)
    assert engine._board is not None and engine._board.winner == core.EMPTY
    engine.take_back(*stones[-1][:2])
    assert engine._board.winner == core.EMPTY


def test_a_five_is_gone_when_one_of_its_stones_is_taken_back() -> None:
    engine = new_engine()
    engine.set_position([(x, 7, 1) for x in range(5)] + [(2 * x, 13, 2) for x in range(5)])
    assert engine._board is not None and engine._board.winner == core.BLACK
    engine.take_back(2, 7)
    assert engine._board.winner == core.EMPTY
