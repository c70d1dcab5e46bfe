"""training.player, selfplay, pit and evaluate: games by search with a small random network."""

from __future__ import annotations

import os
import random
import shutil
import signal
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from networks import write_network

from bench.notation import RULE_NAMES, read_cell
from bench.stats import Sprt
from brain.onnx_evaluator import OnnxEvaluator
from brain.weights import find
from cython_core import EMPTY, FREESTYLE, RULES, WHITE, Board, cell
from training.evaluate import evaluate_games, evaluate_puzzles
from training.games import GameError, format_game, parse_game, read_games
from training.pit import Match, Pairing, pit_two, play_pair, round_robin
from training.planning import FORCED, completed_policy, improved_move, plan
from training.player import Curiosity, Move, Player, Searched
from training.selfplay import (
    HEADING,
    TURNS_AT_ONCE,
    Settings,
    drawn,
    finished_games,
    opening,
    play_game,
    playing_order,
    selfplay,
)
from training.workers import WorkerError

QUICK = Settings(network="", simulations=24, cheap=8, full_share=0.5, sizes=(9,))


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_network(tmp_path_factory.mktemp("network") / "tiny.onnx")


@pytest.fixture(scope="module")
def player(network: Path) -> Player:
    return Player(network, memory=8 << 20)


def searched(*moves: Move) -> Searched:
    return Searched(moves, 0.5, None)


def test_completed_policy_prefers_better_values_and_keeps_unvisited_moves() -> None:
    better, worse, unseen = Move(1, 10, 0.52, 0.4, None), Move(2, 10, 0.5, 0.4, None), Move(3, 0, 0.0, 0.2, None)
    policy = completed_policy(searched(better, worse, unseen))
    assert policy[1] > policy[2] > 0 and policy[3] > 0
    assert sum(policy.values()) == pytest.approx(1)


def test_completed_policy_takes_proofs_as_they_are() -> None:
    win, loss, open_ = Move(1, 1, 1.0, 0.1, 3), Move(2, 9, 0.0, 0.8, -4), Move(3, 2, 0.4, 0.1, None)
    assert completed_policy(searched(win, loss, open_)) == {1: 1.0}
    assert completed_policy(searched(loss, open_)) == {3: 1.0}
    assert searched(loss, open_).best() is open_
    assert searched(win, open_).best() is win
    assert Searched((win,), 1.0, 3).evaluation() == 29997 and Searched((loss,), 0.0, -4).evaluation() == -29996


@pytest.mark.parametrize("rule", RULES)
def test_self_play_games_are_legal_lines_of_every_rule(player: Player, rule: int) -> None:
    settings = Settings(network="", simulations=12, cheap=4, full_share=0.5, sizes=(7,), rules=(rule,))
    game = play_game(player, settings, 3)
    assert game.rule == rule and game.evals is not None and game.policies is not None
    again = parse_game(format_game(game))  # replays it: every move legal, the result as on the board
    assert again.moves == game.moves and again.tags["seed"] == "3"
    overruled, searches = map(int, again.tags["overruled"].split("/"))
    assert 0 <= overruled <= searches == sum(map(bool, game.policies))
    for number, policy in enumerate(game.policies):
        assert not set(policy) & set(game.moves[: game.opening + number])


def test_a_game_depends_on_seed_and_number_and_not_on_what_was_played_before(player: Player) -> None:
    line = format_game(play_game(player, QUICK, 5))
    play_game(player, QUICK, 4)
    assert format_game(play_game(player, QUICK, 5)) == line
    assert format_game(play_game(player, replace(QUICK, seed=1), 5)) != line


def test_a_curious_search_visits_every_move_and_tells_priors_without_the_noise(player: Player) -> None:
    board = Board(9, 9, FREESTYLE)
    board.play(4 + 4 * 32)
    board.play(4 + 3 * 32)
    player.new_game(1)
    plain = player.search(board, 200)
    player.new_game(1)
    curious = player.search(board, 400, Curiosity(noise=0.5, inner_noise=0.1, root_visits=3))
    assert {move.cell: move.prior for move in plain.moves} == {move.cell: move.prior for move in curious.moves}
    assert min(move.visits for move in curious.moves) >= 3 > min(move.visits for move in plain.moves)


@pytest.mark.parametrize("simulations", [1, 5, 16, 40])
def test_a_plan_spends_its_simulations_on_few_moves_and_most_on_the_best(player: Player, simulations: int) -> None:
    board = Board(9, 9, FREESTYLE)
    for x, y in ((4, 4), (4, 3), (2, 6)):
        board.play(cell(x, y))
    player.new_game(1)
    player.begin(board)
    found, sample = plan(player, simulations, random.Random(simulations), candidates=8)
    assert player.simulations == simulations and found.proof is None
    visits = sorted((move.visits for move in found.moves if move.visits), reverse=True)
    assert sum(visits) == simulations - 1 and len(visits) <= 8
    if simulations == 40:
        assert visits[0] >= 9 and visits[1] >= 9 and visits[2] <= 6, "two rounds of half of the candidates"
        assert sample.visits >= 9
    policy = completed_policy(found)
    assert improved_move(found).cell == max(policy, key=policy.__getitem__)


def test_the_move_of_a_plan_is_drawn_and_its_draws_follow_the_seed(player: Player) -> None:
    board = Board(9, 9, FREESTYLE)
    board.play(cell(4, 4))

    def sample(seed: int) -> int:
        player.new_game(1)
        player.begin(board)
        return plan(player, 8, random.Random(seed))[1].cell

    draws = [sample(seed) for seed in range(12)]
    assert len(set(draws)) > 1
    assert draws == [sample(seed) for seed in range(12)]
    player.new_game(1)
    player.begin(board)
    found, best = plan(player, 8, None)
    assert best == improved_move(found), "without dice the best move is played"
    player.begin(board)
    found, best = plan(player, 8, random.Random(1), temperature=1e-6)
    assert best == improved_move(found), "and as good as always at a low temperature"


def test_a_plan_takes_the_win_and_does_not_search_the_only_move(player: Player) -> None:
    board = Board(9, 9, FREESTYLE)
    for x in range(3):
        board.play(cell(x, 0))
        board.play(cell(2 * x, 8))
    board.play(cell(3, 0))
    player.new_game(1)
    player.begin(board)
    found, sample = plan(player, 60, random.Random(1))
    assert sample.cell == cell(4, 0) and len(found.moves) == 1
    assert player.simulations <= FORCED
    board.play(cell(0, 4))
    player.begin(board)
    found, sample = plan(player, 60, random.Random(1))
    assert found.proof == 1 and sample.cell == cell(4, 0) and completed_policy(found) == {cell(4, 0): 1.0}


def test_games_of_plans_have_a_target_at_every_move(player: Player) -> None:
    game = play_game(player, replace(QUICK, plan=12), 2)
    assert game.policies is not None and all(game.policies)
    assert parse_game(format_game(game)).moves == game.moves


def test_temperature_says_how_evenly_moves_are_drawn() -> None:
    first, second = Move(1, 2000, 0.5, 0.5, None), Move(2, 1000, 0.5, 0.5, None)
    root = searched(first, second, Move(3, 0, 0.0, 0.1, None), Move(4, 5000, 0.0, 0.1, -2))

    def share_of_first(temperature: float) -> float:
        rng = random.Random(1)
        return sum(drawn(root, temperature, rng) is first for _ in range(1000)) / 1000

    assert share_of_first(0.01) == 1
    assert share_of_first(1.0) == pytest.approx(2 / 3, abs=0.05)
    assert share_of_first(100.0) == pytest.approx(1 / 2, abs=0.05)
    assert drawn(searched(Move(4, 9, 0.0, 1.0, -2)), 1.0, random.Random(1)) is None


def test_openings_leave_the_board_empty_and_the_game_open() -> None:
    board = Board(9, 9, FREESTYLE)
    for seed in range(20):
        cells = opening(board, random.Random(seed))
        assert board.ply == 0 and 1 <= len(cells) <= 7
        for stone in cells:
            board.play(stone)
        assert board.winner == EMPTY
        for _ in cells:
            board.undo()


def test_self_play_goes_on_after_a_kill_without_losing_a_game(network: Path, tmp_path: Path) -> None:
    path = tmp_path / "selfplay.txt"
    settings = Settings(network=str(network), simulations=8, cheap=4, sizes=(6,), rules=(0,))
    selfplay(settings, path, 2, 1, "", lambda text: None)
    whole = path.read_text()
    path.write_text(whole + "freestyle 6 B a1 b")
    assert finished_games(path) == {0, 1} and path.read_text() == whole
    assert selfplay(settings, path, 3, 1, "", lambda text: None) == 1
    assert path.read_text().startswith(whole) and len(list(read_games(path))) == 3
    path.write_text("freestyle 6 B a1 b1 # open=0\n")
    with pytest.raises(GameError, match=r"selfplay\.txt:1: .*no seed="):
        finished_games(path)


def line_or_death(task: tuple[Settings, int]) -> str:
    """A game in no time, in place of `play_line`; number 2 kills its worker."""
    _, number = task
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return f"freestyle 6 D a1 # open=0 seed={number}"


def test_a_killed_worker_ends_self_play_and_loses_no_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("training.selfplay.play_line", line_or_death)
    path = tmp_path / "selfplay.txt"
    with pytest.raises(WorkerError, match="a worker process was killed"):
        selfplay(Settings(network="", rules=(0,)), path, 9, 1, "", lambda text: None)
    assert finished_games(path) == {0, 1}


def test_self_play_does_not_go_on_with_games_of_another_network_or_other_settings(
    network: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("training.selfplay.played", lambda tasks, processes, ray: (
        f"freestyle 6 D a1 # open=0 seed={number}" for _, number in tasks
    ))  # fmt: skip
    path = tmp_path / "selfplay.txt"
    settings = Settings(network=str(network), cheap=4)

    def play(settings: Settings, games: int) -> int:
        return selfplay(settings, path, games, 1, "", lambda text: None)

    assert play(settings, 2) == 2
    begun = path.read_text()
    other = write_network(tmp_path / "other.onnx", seed=2)
    for wrong, difference in (
        (replace(settings, cheap=5), "cheap 4, not 5"),
        (replace(settings, seed=1), "seed 0, not 1"),
        (replace(settings, rules=(4,)), r"rules \[0, 0, 1, 4, 8, 9\], not \[4\]"),
        (replace(settings, network=str(other)), "network 1, not 2"),
        (replace(settings, network="", cheap=5), "network 1, not ; cheap 4, not 5"),
    ):
        with pytest.raises(GameError, match=rf"selfplay\.txt: its games were played with {difference}; "):
            play(wrong, 3)
    assert path.read_text() == begun
    shutil.copyfile(find(network), tmp_path / network.name)
    assert play(replace(settings, network=str(tmp_path / network.name)), 3) == 1, "the same network elsewhere"
    heading, *games = path.read_text().splitlines()
    assert heading.startswith(HEADING) and len(games) == len(list(read_games(path))) == 3
    for unknown in ("", "# a comment\n", f"{HEADING}{{\n", f"{HEADING}7\n"):
        path.write_text(f"{unknown}{games[0]}\n")
        with pytest.raises(GameError, match=r"selfplay\.txt: its first line does not tell"):
            play(settings, 2)
    path.write_text(heading[:30])
    assert play(settings, 2) == 2 and path.read_text() == begun, "a kill may come within the first line"


def test_rules_come_in_turn_also_in_a_run_that_is_cut_short_and_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(network="")
    cut = 0

    def lines(tasks: Iterable[tuple[Settings, int]], processes: int, ray: str) -> Iterator[str]:
        numbers = [number for _, number in tasks]
        for number in numbers[:cut]:
            rule = RULE_NAMES[settings.rules[number % len(settings.rules)]]
            yield f"{rule} 6 D a1 # open=0 seed={number}"
        if cut < len(numbers):
            raise WorkerError("cut short")

    monkeypatch.setattr("training.selfplay.played", lines)
    path = tmp_path / "selfplay.txt"
    played = 0
    for cut in (1, 100, 250):
        with pytest.raises(WorkerError, match="cut short"):
            selfplay(settings, path, 600, 1, "", lambda text: None)
        played += cut
        counts = Counter(game.rule for game in read_games(path))
        assert counts.total() == played
        for rule in RULES:
            turns = settings.rules.count(rule)
            assert abs(counts[rule] - played * turns / len(settings.rules)) <= TURNS_AT_ONCE * turns
    cut = 600
    assert selfplay(settings, path, 600, 1, "", lambda text: None) == 600 - played
    assert finished_games(path) == set(range(600))


def test_a_rule_is_kept_for_some_games_as_its_tables_cost_time() -> None:
    settings = Settings(network="", rules=(4, 0, 4))
    order = [settings.rules[number % 3] for number in playing_order(settings, range(3 * TURNS_AT_ONCE))]
    assert order == [0] * TURNS_AT_ONCE + [4] * (2 * TURNS_AT_ONCE)


MATCH = Match(games=4, simulations=8, rules=(FREESTYLE,), sizes=(7,))


class Stub:
    """A player that the test knows to lose: it fills the board from a corner, and holds every opening for even."""

    def __init__(self, network: Path | None) -> None:
        self.searches = 0

    def new_game(self, seed: int) -> None:
        pass

    def search(self, board: Board, simulations: int) -> Searched:
        self.searches += 1
        cells = (cell(x, y) for y in range(7) for x in (0, 2, 4, 6, 1, 3, 5))
        empty = next(free for free in cells if board.stone(free) == EMPTY)
        return Searched((Move(empty, 1, 0.5, 1.0, None),), 0.5, None)


def test_a_pair_is_scored_for_the_first_network_with_either_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    players = {"loser": Stub(None), "": Player(None, memory=8 << 20)}
    monkeypatch.setattr("training.pit._players", players)
    for number in range(4):
        assert play_pair(Pairing(("", "loser"), MATCH, number)) == (1.0, 1.0)
        assert play_pair(Pairing(("loser", ""), MATCH, number)) == (0.0, 0.0)
    assert players["loser"].searches > 0


def test_a_match_plays_all_its_rules_and_sizes_and_another_seed_has_other_openings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = []

    def play_out(board: Board, cells: list[int], players: object, simulations: int) -> int:
        seen.append((board.rule, board.width, tuple(cells)))
        return EMPTY

    monkeypatch.setattr("training.pit._players", {"": Stub(None)})
    monkeypatch.setattr("training.pit.play_out", play_out)
    match = replace(MATCH, rules=RULES, sizes=(7, 9))
    for seed in (0, 1):
        for number in range(20):
            assert play_pair(Pairing(("", ""), replace(match, seed=seed), number)) == (0.5, 0.5)
    assert {(rule, size) for rule, size, _ in seen} == {(rule, size) for rule in RULES for size in (7, 9)}
    assert seen[0::2] == seen[1::2], "both games of a pair have one opening"
    assert seen[:40] != seen[40:]


@pytest.mark.parametrize(
    ("score", "sprt", "games", "promoted"),
    [
        (1.0, None, 400, True),
        (0.5, None, 400, False),
        (1.0, Sprt(0, 20), 200, True),
        (0.0, Sprt(0, 20), 200, False),
    ],
)
def test_a_match_promotes_by_score_or_sequential_test(
    monkeypatch: pytest.MonkeyPatch, score: float, sprt: Sprt | None, games: int, promoted: bool
) -> None:
    monkeypatch.setattr("training.pit.pairs", lambda pairings, processes: ((score, score) for _ in pairings))
    verdict = pit_two("new", "old", Match(games=400, sprt=sprt), 1, lambda text: None)
    assert verdict.promoted is promoted
    assert verdict.summary.games == games if sprt is None else 2 <= verdict.summary.games <= games


def test_a_round_robin_ranks_by_the_scores_of_all_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    strength = {"good": 2, "": 1, "bad": 0}

    def pairs(pairings: list[Pairing], processes: int):  # type: ignore[no-untyped-def]
        for pairing in pairings:
            one, other = (strength[network] for network in pairing.networks)
            yield (float(one > other),) * 2

    monkeypatch.setattr("training.pit.pairs", pairs)
    told: list[str] = []
    assert round_robin(["bad", "", "good"], MATCH, 1, told.append) == [("good", 1.0), ("", 0.5), ("bad", 0.0)]
    assert told[0] == "bad - -: +0 =0 -4"


def test_networks_play_a_match_in_worker_processes(network: Path) -> None:
    verdict = pit_two(str(network), "", replace(MATCH, games=2, win_rate=0.0), 1, lambda text: None)
    assert verdict.summary.games == 2 and verdict.promoted


def test_a_network_that_holds_every_opening_for_decided_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Sure(Stub):
        def search(self, board: Board, simulations: int) -> Searched:
            return Searched((), float("nan"), None)

    with pytest.raises(GameError, match="none of 1000 openings is even to the network on 9x9, freestyle"):
        play_game(Sure(None), QUICK, 0)  # type: ignore[arg-type]


def test_a_player_takes_the_win_and_stops_a_four(player: Player) -> None:
    board = Board(9, 9, FREESTYLE)
    for x in range(4):
        board.play(cell(x, 0))
        board.play(cell(x, 8))
    assert player.search(board, 16).best().cell == cell(4, 0)
    board.side = WHITE
    assert player.search(board, 16).best().cell == cell(4, 8)


def test_evaluate_counts_held_out_moves_and_puzzles(network: Path, tmp_path: Path) -> None:
    evaluator = OnnxEvaluator.load(0, network, provider="cpu")
    games = tmp_path / "games.txt"
    lines = [f"freestyle 9 {result} e5 {move} d4 # open=1" for result in "BWD?" for move in ("a1", "b7", "c2", "i9")]
    games.write_text("\n".join(lines))
    scores = evaluate_games(evaluator, games, held_out=False)
    assert scores.positions == 32 and scores.valued == 24
    assert 0 <= scores.top1 <= scores.top5 <= 32
    assert scores.lines()[1].startswith("top-1 ") and scores.lines()[1].endswith(" %")
    held = evaluate_games(evaluator, games, held_out=True)
    assert held.positions == 2 * sum(game.held_out for game in read_games(games))

    puzzles = tmp_path / "puzzles.tsv"
    head = "#id\tside\tsize\tblack\twhite\tfours\twinning_first_fours\tline(attacker,defender,...)\n"
    everywhere = " ".join(f"{column}{row}" for column in "abcdefghi" for row in range(1, 10))
    puzzles.write_text(head + f"p1\tB\t9\te5\t\t1\t{everywhere}\ta1 a2 a3\n")
    found = evaluate_puzzles(evaluator, puzzles)
    assert (found.puzzles, found.good, found.with_line) == (1, 1, 1)
    puzzles.write_text(head + "p1\tX\t9\te5\t\t1\ta1\ta1\n")
    with pytest.raises(GameError, match=r"puzzles\.tsv:2"):
        evaluate_puzzles(evaluator, puzzles)


@pytest.mark.parametrize(("choice", "good", "perfect"), [("j8", 1, 1), ("d1", 1, 1), ("k8", 1, 0), ("a9", 0, 0)])
def test_a_perfect_answer_starts_a_shortest_win_whichever_the_file_shows(
    network: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, choice: str, good: int, perfect: int
) -> None:
    # Two pairs of threes meet at j8 and d1, where a double four wins; k8 is a four more than needed.
    puzzles = tmp_path / "puzzles.tsv"
    black, white = "g8 h8 i8 j5 j6 j7 a1 b1 c1 d2 d3 d4", "f8 j4 d6"
    puzzles.write_text("#id\tside\tsize\tblack\twhite\tfours\twinning_first_fours\tline(attacker,defender,...)\n"
                       f"p1\tB\t15\t{black}\t{white}\t1\td1 j8 k8\tj8 k8 j9\n")  # fmt: skip
    monkeypatch.setattr("training.evaluate.first_choice", lambda evaluator, board: cell(*read_cell(choice, 15)))
    found = evaluate_puzzles(OnnxEvaluator.load(0, network, provider="cpu"), puzzles)
    assert (found.good, found.perfect, found.with_line) == (good, perfect, 1)
