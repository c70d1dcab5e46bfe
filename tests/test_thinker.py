"""The thinker: forced and won positions at once, limits obeyed, several threads, choice of the final move."""

import threading
import time
from array import array
from collections.abc import Callable
from itertools import pairwise
from types import SimpleNamespace

import pytest
from walks import from_drawing

import cython_core as core
from brain.choice import Child, is_certain, ranked
from brain.clock import Limits, Timer
from brain.network import Network
from brain.records import Analysis, Line, Request, Resources
from brain.thinker import Thinker, held_to
from brain.weights import WeightsError


def limits(seconds: float = 30.0, nodes: int = 0) -> Limits:
    return Limits(time.perf_counter(), seconds, seconds, max_nodes=nodes)


def analysis_of(
    board: core.Board, bound: Limits, thinker: Thinker | None = None, lines: int = 1, threads: int = 1
) -> Analysis:
    request = Request(board, bound, lines=lines, resources=Resources(threads=threads))
    return (thinker or Thinker()).analyse(request)


def opening() -> core.Board:
    board = core.Board(15, 15, core.FREESTYLE)
    for x, y in ((7, 7), (8, 8), (7, 9), (6, 8)):
        board.play(core.cell(x, y))
    return board


def test_a_five_is_made_long_before_the_limit() -> None:
    board = core.Board(15, 15, core.FREESTYLE)
    for x in range(4, 8):
        board.put(core.cell(x, 7), core.BLACK)
    analysis = analysis_of(board, limits())
    assert analysis.best.move in (core.cell(3, 7), core.cell(8, 7))
    assert analysis.best.proof == 1
    assert analysis.seconds < 15


def test_a_win_found_by_a_solver_is_shown_to_its_end() -> None:
    board = core.Board(15, 15, core.FREESTYLE)
    for x, y in ((4, 7), (5, 7), (6, 7), (8, 6), (9, 5), (10, 4)):
        board.put(core.cell(x, y), core.BLACK)
    for x, y in ((3, 7), (7, 3), (12, 12), (12, 2), (2, 12)):
        board.put(core.cell(x, y), core.WHITE)
    analysis = analysis_of(board, limits())
    assert analysis.best.proof is not None and analysis.best.proof > 1
    assert len(analysis.best.pv) == analysis.best.proof and analysis.best.pv[0] == analysis.best.move
    for cell in analysis.best.pv:
        board.play(cell)
    assert board.winner == core.BLACK


def test_an_only_reply_comes_at_once() -> None:
    board = core.Board(15, 15, core.FREESTYLE)
    for x in range(4):
        board.put(core.cell(x, 7), core.WHITE)
    board.put(core.cell(9, 9), core.BLACK)
    analysis = analysis_of(board, limits())
    assert analysis.best.move == core.cell(4, 7)
    assert analysis.seconds < 15


def test_a_lost_position_still_gets_a_move_that_stops_one_five() -> None:
    board = core.Board(15, 15, core.FREESTYLE)
    for x in range(4, 8):
        board.put(core.cell(x, 7), core.WHITE)
    analysis = analysis_of(board, limits())
    assert analysis.best.move in (core.cell(3, 7), core.cell(8, 7))
    assert analysis.best.proof == -2


def test_a_node_limit_is_met_and_results_repeat_with_the_network() -> None:
    thinker = Thinker()
    first, second = analysis_of(opening(), limits(nodes=400), thinker), analysis_of(opening(), limits(nodes=400))
    assert thinker._network.ready(core.FREESTYLE)
    assert first.visits == 400
    assert (first.visits, first.lines) == (second.visits, second.lines)


def test_a_stop_ends_the_search() -> None:
    request = Request(opening(), limits())
    timer = Timer(request.limits)
    analysis = Thinker().analyse(request, timer, lambda analysis: timer.stop())
    assert core.Board.legal(opening(), analysis.best.move)
    assert analysis.seconds < 20


def test_several_lines_are_asked_for_and_come_best_first() -> None:
    analysis = analysis_of(opening(), limits(nodes=2000), lines=3)
    assert len({line.move for line in analysis.lines}) == 3
    assert analysis.lines[0].move == analysis.best.move
    assert all(line.pv[0] == line.move for line in analysis.lines)


def test_a_lost_game_shows_every_way_to_lose_it_that_is_known() -> None:
    board = core.Board(15, 15, core.FREESTYLE)
    for x, y in ((4, 4), (5, 4), (6, 4), (10, 9), (10, 10), (10, 11)):  # two open threes
        board.put(core.cell(x, y), core.WHITE)
    for x, y in ((0, 0), (14, 0), (0, 14), (13, 3), (2, 9)):
        board.put(core.cell(x, y), core.BLACK)
    analysis = analysis_of(board, limits(nodes=3000), lines=4)
    assert analysis.lines[0].move == analysis.best.move and len({line.move for line in analysis.lines}) > 1
    assert all(line.proof is not None and line.proof < 0 for line in analysis.lines)
    assert analysis.best.proof == min(line.proof for line in analysis.lines if line.proof is not None)


def test_updates_come_by_the_rhythm_of_the_request_and_their_depth_never_falls() -> None:
    seen: list[Analysis] = []
    request = Request(opening(), limits(nodes=6000), lines=2, update_s=0.02)
    last = Thinker().analyse(request, on_update=seen.append)
    assert len(seen) >= 3 and all(len(analysis.lines) == 2 for analysis in seen)
    for before, after in pairwise([*seen, last]):
        assert before.depth <= after.depth and before.seldepth <= after.seldepth
        assert before.visits <= after.visits and before.seconds < after.seconds
    assert all(len(line.pv) <= analysis.depth <= analysis.seldepth for analysis in seen for line in analysis.lines)


def test_what_an_update_raises_ends_the_search() -> None:
    def enough(analysis: Analysis) -> None:
        raise KeyboardInterrupt

    thinker = Thinker()
    with pytest.raises(KeyboardInterrupt):
        thinker.analyse(Request(opening(), limits(), update_s=0.01, resources=Resources(threads=2)), on_update=enough)
    assert not [thread for thread in threading.enumerate() if thread.name == "search"]
    assert analysis_of(opening(), limits(nodes=100), thinker).visits >= 100


def test_thinkers_are_independent_of_each_other() -> None:
    alone = analysis_of(opening(), limits(nodes=500))
    thinkers = [Thinker(), Thinker()]
    found: list[Analysis] = []
    threads = [
        threading.Thread(target=lambda each=each: found.append(analysis_of(opening(), limits(nodes=500), each)))  # type: ignore[misc]
        for each in thinkers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [analysis.lines for analysis in found] == [alone.lines] * 2


def test_two_threads_think_together() -> None:
    analysis = analysis_of(opening(), limits(nodes=3000), threads=2)
    assert analysis.visits >= 3000
    assert opening().legal(analysis.best.move)


@pytest.mark.parametrize("rule", core.RULES)
def test_black_never_answers_with_a_foul(rule: int) -> None:
    board = core.Board(15, 15, rule)
    for x, y in ((7, 6), (7, 8), (6, 7), (8, 7)):
        board.put(core.cell(x, y), core.BLACK)
    for x, y in ((2, 2), (12, 2), (2, 12), (12, 12)):
        board.put(core.cell(x, y), core.WHITE)
    assert board.is_foul(core.cell(7, 7)) == (rule == core.RENJU)
    assert board.legal(analysis_of(board, limits(nodes=300)).best.move)


def child(cell: int, visits: int, value: float, proof: int | None = None) -> Child:
    return Child(cell, visits, value, 0.3, 0.1, proof)


def test_a_sooner_win_is_preferred_and_a_later_loss() -> None:
    order = ranked([child(1, 9, 1, 7), child(2, 9, 0, -4), child(3, 900, 0.9), child(4, 1, 1, 3), child(5, 9, 0, -8)])
    assert [move.cell for move in order] == [4, 1, 3, 5, 2]


def test_a_doubtful_high_value_does_not_beat_a_well_tried_one() -> None:
    assert ranked([child(1, 1000, 0.60), child(2, 110, 0.62)])[0].cell == 1
    assert ranked([child(1, 1000, 0.60), child(2, 900, 0.70)])[0].cell == 2
    assert ranked([child(1, 1000, 0.60), child(2, 20, 0.95)])[0].cell == 1


def test_a_move_is_certain_when_no_other_can_be_chosen_any_more() -> None:
    rivals = [Child(2, 99, 0.9, 0.0, 0.1, None), Child(2, 101, 0.9, 0.0, 0.1, None)]
    leader = Child(1, 1000, 0.5, 0.1, 0.5, None)
    assert [ranked([leader, rival])[0].cell for rival in rivals] == [1, 2]
    assert [is_certain(leader.visits, rival.visits, saving=False) for rival in rivals] == [True, False]
    assert is_certain(leader.visits, 999, saving=True) and not is_certain(leader.visits, 1000, saving=True)


def test_a_move_that_was_never_tried_is_worth_what_the_position_is() -> None:
    position = SimpleNamespace(value=0.6, line=lambda cell: [cell], draw=lambda cell: 0.1)
    assert child(1, 0, 0.0).line(position).value == 0.6  # type: ignore[arg-type]
    assert child(1, 0, 0.0, -4).line(position).value == 0.0  # type: ignore[arg-type]
    assert child(1, 9, 0.7).line(position).value == 0.7  # type: ignore[arg-type]


def test_speed_does_not_count_what_earlier_moves_have_left() -> None:
    thinker = Thinker()
    analysis_of(opening(), limits(nodes=3000), thinker)
    again = analysis_of(opening(), limits(nodes=300), thinker)
    assert again.visits >= 3300
    assert again.speed * again.seconds < 1000


TWO_OPEN_THREES = """
. . . . . . . . . . .
. . . . . . . . . . .
. . . . . . . . . . .
. . . . . x . . . . .
. . . . . x . . . . .
. . . x x . . . . . .
. . . . . . . o . . .
. . . . . . . . o . .
. . . . . . . . . . .
. . . . . . . . . . .
. . . . . . . . . . .
"""


def test_a_win_by_threes_is_counted_to_the_five() -> None:
    assert analysis_of(from_drawing(TWO_OPEN_THREES, core.FREESTYLE), limits()).best.proof == 5


def test_a_win_by_fours_goes_before_a_shorter_one_that_begins_with_a_three() -> None:
    board = core.Board(15, 15, core.FREESTYLE)
    for x, y in ((4, 7), (5, 7), (6, 7), (7, 8), (7, 9), (8, 11), (9, 12)):
        board.put(core.cell(x, y), core.BLACK)
    for x, y in ((3, 7), (7, 11), (7, 5), (12, 12), (12, 2), (1, 1)):
        board.put(core.cell(x, y), core.WHITE)
    for plies, by_fours in ((3, False), (5, True)):
        searcher = core.Searcher(4 << 20)
        searcher.set_position(board)
        searcher.claim(plies, core.cell(14, 14))
        proof = Thinker()._solve_root(board, searcher, Timer(limits()))
        assert (proof is not None and proof.plies == 7) == by_fours
        assert (searcher.proof_move != core.cell(14, 14)) == by_fours


class LateNetwork(Network):
    """Is loaded after it has been waited for."""

    def __init__(self) -> None:
        super().__init__(lambda text: None)
        self.waits = 0

    def load(self, rule: int, memory: int) -> None:
        pass

    @property
    def loading(self) -> bool:
        return self.waits < 3

    def wait(self, seconds: float) -> None:
        self.waits += 1


@pytest.mark.parametrize(("seconds", "waits"), [(2.0, 3), (0.1, 0)])
def test_a_think_that_is_long_enough_waits_for_the_network(seconds: float, waits: int) -> None:
    network = LateNetwork()
    analysis_of(opening(), limits(seconds), Thinker(network=network))
    assert network.waits == waits


def test_a_think_that_breaks_leaves_no_thread_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(*arguments: object) -> None:
        raise RuntimeError("broken")

    thinker = Thinker()
    monkeypatch.setattr(thinker, "_search", break_down)
    with pytest.raises(RuntimeError, match="broken"):
        analysis_of(opening(), limits(), thinker, threads=3)
    assert not [thread for thread in threading.enumerate() if thread.name == "search"]
    monkeypatch.undo()
    assert analysis_of(opening(), limits(nodes=500), thinker).visits >= 500


class BrokenEvaluator:
    """A network that breaks down after some simulations."""

    def __init__(self, simulations: int) -> None:
        self.left = simulations

    def evaluate(self, board: core.Board) -> None:
        raise WeightsError("the processor of the network is gone")

    def simulator(self, searcher: core.Searcher, board: core.Board, batch: int) -> Callable[[core.Worker, int], None]:
        def simulate(worker: core.Worker, count: int) -> None:
            if self.left <= 0:
                raise WeightsError("the processor of the network is gone")
            self.left -= count
            worker.run(count)

        return simulate


class BrokenNetwork(Network):
    def __init__(self, say: Callable[[str], None], evaluator: object) -> None:
        super().__init__(say)
        self._evaluator, self._rule = evaluator, core.FREESTYLE  # type: ignore[assignment]


@pytest.mark.parametrize("simulations", [0, 1, 100])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_network_that_breaks_down_is_said_once_and_the_game_goes_on(simulations: int, threads: int) -> None:
    said: list[str] = []
    thinker = Thinker(network=BrokenNetwork(said.append, BrokenEvaluator(simulations)))
    for _ in range(2):
        assert analysis_of(opening(), limits(nodes=500), thinker, threads=threads).visits >= 500
    assert said == ["playing without network: the processor of the network is gone"]


def test_a_network_that_breaks_down_has_no_opinion_and_shapes_have_one() -> None:
    said: list[str] = []
    thinker = Thinker(network=BrokenNetwork(said.append, BrokenEvaluator(0)))
    assert [thinker.opinion(opening(), Resources())[0] for _ in "ab"] == ["shapes", "shapes"]
    assert said == ["playing without network: the processor of the network is gone"]


class NaNEvaluator(BrokenEvaluator):
    """A network that answers with NaN after some simulations."""

    def simulator(self, searcher: core.Searcher, board: core.Board, batch: int) -> Callable[[core.Worker, int], None]:
        cells = board.width * board.height
        table = memoryview(bytes(2 * 397488)).cast("h", (397488, 1))
        searcher.set_evaluator(core.LineInputs(board.rule, table, table, array("f", [0.0])))
        features = memoryview(bytearray(4 * cells)).cast("f", (1, 1, board.height, board.width))
        logits = memoryview(bytes(4 * cells)).cast("f", (1, cells))

        def simulate(worker: core.Worker, count: int) -> None:
            self.left -= 1
            share = 1 / 3 if self.left > 0 else float("nan")
            if worker.select(features, 1):
                worker.apply(logits, memoryview(array("f", [share] * 3)).cast("B").cast("f", (1, 3)))

        return simulate


@pytest.mark.parametrize("simulations", [0, 1, 40])
def test_a_network_that_answers_with_nan_is_dropped_and_the_game_goes_on(simulations: int) -> None:
    said: list[str] = []
    thinker = Thinker(network=BrokenNetwork(said.append, NaNEvaluator(simulations)))
    for _ in range(2):
        analysis = analysis_of(opening(), limits(nodes=500), thinker)
        assert 0.0 <= analysis.best.value <= 1.0 and analysis.visits >= 500
    assert said == ["playing without network: it answered with values that are not numbers (NaN)"]


def test_another_rule_gives_back_the_tree_before_it_makes_new_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    thinker = Thinker()
    analysis_of(opening(), limits(nodes=50), thinker)
    assert thinker._network.rule == core.FREESTYLE
    held: list[core.Searcher | None] = []
    load = Network.load

    def watched(network: Network, rule: int, memory: int) -> None:
        held.append(thinker._searcher)
        load(network, rule, memory)

    monkeypatch.setattr(Network, "load", watched)
    thinker.warm_up(core.RENJU)
    assert not held, "the search that needs them makes room first"
    board = core.Board(15, 15, core.RENJU)
    board.play(core.cell(7, 7))
    analysis_of(board, limits(nodes=50), thinker)
    assert held == [None] and thinker._network.rule == core.RENJU


def test_a_tree_too_large_for_the_system_becomes_a_smaller_one(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def scarce(memory: int, **options: float) -> core.Searcher:
        asked.append(memory)
        if memory > 32 << 20:
            raise MemoryError
        return core.Searcher(memory, **options)

    thinker = Thinker()
    monkeypatch.setattr("brain.thinker.core", SimpleNamespace(**{**vars(core), "Searcher": scarce}))
    analysis_of(opening(), limits(nodes=200), thinker)
    assert len(asked) > 1 and asked[-1] <= 32 << 20


def forced(ply: int) -> core.Board:
    """White has a closed four, which black has to stop; `ply` stones altogether."""
    board = core.Board(15, 15, core.FREESTYLE)
    for x in range(4):
        board.put(core.cell(x, 7), core.WHITE)
    for x in range(ply - 4):
        board.put(core.cell(14 - 2 * x, 12 + x % 2), core.BLACK)
    return board


@pytest.mark.parametrize("lost", [True, False])
def test_a_forced_move_after_a_proven_loss_is_looked_at_before_it_is_valued(lost: bool) -> None:
    """Two visits of a forced move said 34.8 % between two proven losses."""
    thinker = Thinker(network=Network(lambda text: None, wanted=False))
    before = core.Board(15, 15, core.FREESTYLE)
    for x in range(4, 8):
        before.put(core.cell(x, 7), core.WHITE)
    before.put(core.cell(9, 9) if lost else core.cell(3, 7), core.BLACK)
    before.put(core.cell(13, 13), core.BLACK)
    first = analysis_of(before, limits(), thinker)
    assert (first.best.proof == -2) == lost
    # Few enough nodes that the search does not prove this position lost, too.
    after = analysis_of(forced(before.ply + 2), limits(5.0, nodes=2000), thinker)
    assert after.best.move == core.cell(4, 7)
    assert (after.visits > 100) == lost
    again = analysis_of(forced(before.ply + 4), limits(5.0, nodes=2000), thinker)
    assert again.visits <= 10, "the game is not held to be lost any more"


def test_a_proven_loss_stays_one_as_long_as_the_game_goes_on_as_proven() -> None:
    board = core.Board(15, 15, core.FREESTYLE)
    for x, y in ((4, 4), (5, 4), (6, 4), (10, 9), (10, 10), (10, 11)):  # two open threes
        board.put(core.cell(x, y), core.WHITE)
    for x, y in ((0, 0), (14, 0), (0, 14), (13, 3), (2, 9)):
        board.put(core.cell(x, y), core.BLACK)
    strong = Thinker()
    first = analysis_of(board, limits(nodes=3000), strong).best
    assert first.proof is not None and first.proof < 0 and len(first.pv) >= 2
    weak = Thinker(
        network=Network(lambda text: None, wanted=False), statics=0, own_vcf_nodes=0, other_vcf_nodes=0, hot_visits=0
    )
    board.play(first.move)
    for reply, proof in ((first.pv[1], first.proof + 2), (core.cell(14, 14), None)):
        weak._lost = strong._lost
        board.play(reply)
        found = analysis_of(board, limits(0.3, nodes=3), weak).best
        board.undo()
        assert found.proof == proof and (found.value == 0.0) == (proof is not None)


def test_a_proven_loss_is_not_put_off_by_a_search_that_finds_a_longer_one() -> None:
    longer, shorter = Line(3, 0.0, 0.0, 0.0, 5, -18, (3,)), Line(3, 0.0, 0.0, 0.0, 5, -12, (3,))
    other = Line(4, 0.0, 0.0, 0.0, 5, -10, (4,))
    assert [line.proof for line in held_to((longer, other), 14)] == [-14, -10]
    assert held_to((shorter, other), 14) == (shorter, other)
