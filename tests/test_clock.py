"""Limits, and whole matches on a fake clock."""

import random
from dataclasses import dataclass

import pytest

from brain.clock import EARLIEST_DECISION, INSTANT_S, Account, Limits, Timer, limits, swap2_limits
from brain.settings import Settings

UNLIMITED = 2**31 - 1
NEW = Account()


def budget(settings: Settings, account: Account = NEW, ply: int = 10) -> Limits:
    made = limits(settings, account, ply, empties=225 - ply, started=100.0)
    assert made.started == 100.0
    assert 0 < made.optimum_s <= made.maximum_s
    return made


def test_turn_limit_zero_means_at_once() -> None:
    assert budget(Settings(turn_ms=0)).maximum_s <= INSTANT_S


@pytest.mark.parametrize("left_ms", [-5000, -(2**31), 0, 1, 50])
def test_hardly_any_time_left_means_at_once(left_ms: int) -> None:
    assert budget(Settings(turn_ms=30_000), Account().told(left_ms)).maximum_s <= INSTANT_S


@pytest.mark.parametrize("turn_ms", [1, 10, 50, 100, 1000, 5000, 30_000, 300_000])
def test_a_turn_limit_is_kept_with_a_margin(turn_ms: int) -> None:
    made = budget(Settings(turn_ms=turn_ms))
    assert made.maximum_s < turn_ms / 1000
    assert made.maximum_s >= 0.45 * turn_ms / 1000


@pytest.mark.parametrize("account", [Account(), Account().told(UNLIMITED)])
@pytest.mark.parametrize("match_ms", [0, UNLIMITED])
def test_without_a_match_limit_a_move_may_use_its_whole_turn(account: Account, match_ms: int) -> None:
    made = budget(Settings(turn_ms=1000, match_ms=match_ms), account)
    assert 0.9 < made.optimum_s == made.maximum_s < 1.0


def test_the_smaller_of_both_books_counts() -> None:
    account = Account().told(900_000).charged(20.0)
    assert account.left_s(180_000) == pytest.approx(160.0, abs=0.1)
    assert account.told(50_000).left_s(180_000) == pytest.approx(50.0)
    assert account.told(50_000).charged(10.0).left_s(180_000) == pytest.approx(40.0, abs=0.1)
    assert Account().told(UNLIMITED).left_s(0) is None
    assert Account().told(-3).left_s(0) == pytest.approx(-0.003)


def test_the_fight_gets_more_than_the_opening_moves() -> None:
    settings = Settings(turn_ms=30_000, match_ms=180_000)
    assert budget(settings, ply=12).optimum_s > 1.5 * budget(settings, ply=2).optimum_s


def test_swap2_takes_less_than_a_tenth_of_the_match_for_two_requests() -> None:
    settings = Settings(turn_ms=7_200_000, match_ms=7_200_000)
    assert 2 * swap2_limits(settings, Account(), 0.0).maximum_s < 720
    assert swap2_limits(Settings(turn_ms=300), Account(), 0.0).maximum_s < 0.3


def test_node_and_depth_limits_are_handed_on() -> None:
    made = budget(Settings(max_nodes=500, max_depth=6))
    assert (made.max_nodes, made.max_depth) == (500, 6)


@dataclass
class FakeMatch:
    """A judge and a brain on a fake clock: every move costs the budget it was given, plus overhead nobody sees."""

    turn_ms: int
    match_ms: int
    tell: str
    greed: str = "maximum"
    cells: int = 225
    overhead_s: float = 0.01

    def play(self, moves: int, seed: int) -> tuple[float, float]:
        """Seconds of the whole match as the judge counts them, and of the longest move."""
        chance = random.Random(seed)
        settings = Settings(turn_ms=self.turn_ms, match_ms=self.match_ms)
        account, judged, longest = Account(), 0.0, 0.0
        for number in range(moves):
            if self.tell == "right":
                account = account.told(round(self.match_ms - 1000 * judged))
            elif self.tell == "huge":
                account = account.told(UNLIMITED)
            made = limits(settings, account, 2 * number, self.cells - 2 * number, started=0.0)
            used = {
                "maximum": made.maximum_s,
                "random": chance.uniform(made.optimum_s / 2, made.maximum_s),
                "ordinary": 0.8 * made.optimum_s,
            }[self.greed]
            # the search ends a poll late, the reply wakes up late
            used += chance.uniform(0.0, 0.01)
            account = account.charged(used)
            longest = max(longest, used + self.overhead_s)
            judged += used + self.overhead_s
        return judged, longest


CONTROLS = [(5000, 120_000), (5000, 100_000), (30_000, 180_000), (300_000, 1_000_000), (100, 120_000), (100, 0)]


@pytest.mark.parametrize("tell", ["right", "absent", "huge"])
@pytest.mark.parametrize("greed", ["maximum", "random"])
@pytest.mark.parametrize(("turn_ms", "match_ms"), CONTROLS)
def test_a_match_stays_within_its_clocks(turn_ms: int, match_ms: int, greed: str, tell: str) -> None:
    if match_ms == 0 and tell == "right":
        tell = "huge"
    for cells in (225, 400):
        match = FakeMatch(turn_ms, match_ms, tell, greed, cells)
        for moves in (20, 60, cells // 2):
            judged, longest = match.play(moves, seed=moves)
            assert longest <= turn_ms / 1000 + 0.03
            assert match_ms == 0 or judged <= match_ms / 1000


@pytest.mark.parametrize(("turn_ms", "match_ms"), [(5000, 120_000), (30_000, 180_000), (300_000, 1_000_000)])
def test_a_match_of_ordinary_length_uses_most_of_its_clock(turn_ms: int, match_ms: int) -> None:
    match = FakeMatch(turn_ms, match_ms, "right", greed="random")
    judged, _ = match.play(35, seed=1)
    assert judged > 0.6 * match_ms / 1000


@pytest.mark.parametrize(("turn_ms", "match_ms"), [(30_000, 180_000), (300_000, 1_000_000)])
def test_a_game_decided_early_has_used_half_of_its_clock(turn_ms: int, match_ms: int) -> None:
    judged, _ = FakeMatch(turn_ms, match_ms, "right", greed="ordinary").play(16, seed=1)
    assert judged > 0.5 * match_ms / 1000


def test_a_negative_clock_in_the_middle_of_a_match_costs_instants() -> None:
    settings = Settings(turn_ms=5000, match_ms=120_000)
    account = Account().charged(125.0).told(-5000)
    total = 0.0
    for ply in range(60, 100, 2):
        made = limits(settings, account, ply, 225 - ply, 0.0)
        total += made.maximum_s
        account = account.charged(made.maximum_s)
    assert total < 0.1


@dataclass
class Search:
    """How a scripted search stands."""

    simulations: int = 1000
    depth: int = 5
    proof: int | None = None
    single: bool = False
    leading: tuple[int, int, int, int] = (1, 600, 300, 2)

    def leaders(self) -> tuple[int, int, int, int]:
        return self.leading


@dataclass
class Clock:
    """A clock that is set by hand; it may jump."""

    time: float = 100.0

    def __call__(self) -> float:
        return self.time


def timer_at(seconds: float, bound: Limits | None = None) -> Timer:
    bound = bound or Limits(100.0, 10.0, 10.0)
    return Timer(bound, now=Clock(bound.started + seconds))


def test_a_search_is_over_at_its_deadline_nodes_depth_or_proof() -> None:
    assert not timer_at(5.0).over(Search()) and timer_at(10.0).over(Search())
    assert timer_at(0.0, Limits(100.0, 10.0, 10.0, max_nodes=1000)).over(Search())
    assert not timer_at(0.0, Limits(100.0, 10.0, 10.0, max_nodes=1001)).over(Search())
    assert timer_at(0.0, Limits(100.0, 10.0, 10.0, max_depth=5)).over(Search())
    assert timer_at(0.0).over(Search(proof=-4)) and timer_at(0.0).over(Search(proof=0), lines=3)


def test_nodes_left_are_never_none() -> None:
    bounded = timer_at(0.0, Limits(100.0, 10.0, 10.0, max_nodes=1300))
    assert [bounded.nodes_left(Search(done)) for done in (0, 1000, 1300, 2000)] == [1300, 300, 1, 1]
    assert timer_at(0.0).nodes_left(Search()) > 1 << 20


def test_a_forced_move_is_not_thought_about_unless_it_is_doubtful_or_one_of_several_lines() -> None:
    forced = Search(single=True, leading=(1, 1000, 0, 1))
    assert timer_at(0.0).over(forced)
    assert not timer_at(0.0).over(forced, lines=2)
    assert not timer_at(0.0).over(forced, doubtful=True)
    assert timer_at(EARLIEST_DECISION * 10.0).over(forced, doubtful=True)
    forced.simulations = 2
    assert not timer_at(EARLIEST_DECISION * 10.0).over(forced, doubtful=True) and timer_at(10.0).over(forced)


def test_a_lead_that_cannot_be_overtaken_ends_a_search_for_one_line() -> None:
    sure, open_ = Search(leading=(1, 960, 20, 1)), Search(leading=(1, 600, 300, 1))
    assert timer_at(9.5).over(sure) and not timer_at(9.5).over(sure, lines=2)
    assert not timer_at(9.5).over(open_)
    assert not timer_at(0.1).over(sure), "too early to know how fast it is"


def test_time_is_saved_when_it_is_worth_something_and_spent_on_doubts() -> None:
    match = Limits(100.0, 10.0, 30.0)
    assert timer_at(7.0, match).over(Search(leading=(1, 800, 100, 1)))
    assert not timer_at(7.0, Limits(100.0, 10.0, 10.0)).over(Search(leading=(1, 800, 100, 1)))
    agreed, doubted = Search(leading=(1, 600, 300, 1)), Search(leading=(1, 600, 300, 2))
    assert timer_at(10.0, match).over(agreed) and not timer_at(10.0, match).over(doubted)
    assert timer_at(30.0, match).over(doubted)


def test_a_stop_and_a_shorter_limit_end_every_search_of_a_request() -> None:
    now = Clock()
    whole = Timer(Limits(100.0, 10.0, 10.0), now=now)
    half = whole.part(0.5)
    assert half.deadline == 105.0 and half.within(Limits(100.0, 1.0, 20.0)).deadline == 105.0
    whole.shorten(Limits(100.0, 60.0, 60.0))
    assert half.deadline == 105.0 and whole.deadline == 110.0
    whole.shorten(Limits(100.0, 2.0, 2.0))
    assert half.deadline == 102.0
    assert not half.over(Search())
    whole.stop()
    assert half.stopped and half.expired and half.over(Search(), lines=3)


def test_a_clock_that_jumps_ahead_ends_the_search_and_one_that_jumps_back_does_not_break_it() -> None:
    now = Clock()
    timer = Timer(Limits(100.0, 10.0, 10.0), now=now)
    now.time = 50.0
    assert not timer.over(Search()) and timer.seconds < 0
    now.time = 100_000.0
    assert timer.over(Search())
    assert Account().charged(-50.0).spent_s >= 0.0
