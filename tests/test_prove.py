"""Certificates of what the solvers and the search have proven: complete, verified, and no longer than was said."""

from __future__ import annotations

import random

import pytest
from plain_proofs import longest_game
from walks import from_drawing, random_walks

import cython_core as core
from renga.certificate import certify
from renga.prove import _Maker, prove, read
from renga.verify import Refuted

SIMULATIONS = 150


@pytest.mark.parametrize("rule", core.RULES)
def test_a_proof_of_the_solver_takes_no_longer_than_it_says(rule: int) -> None:
    wins = 0
    for board in random_walks(41, rule, 25):
        found = core.solve_vct(board, board.side, 3000)
        if found.proof is not None:
            wins += 1
            assert found.proof.plies == found.plies
            assert certify(board, board.side, read(found.proof, {})).plies <= found.plies
    assert wins >= 3


@pytest.mark.parametrize("rule", core.RULES)
def test_a_line_of_fours_takes_no_longer_than_it_says(rule: int) -> None:
    wins = 0
    for board in random_walks(42, rule, 25):
        found = core.solve_vcf(board, board.side, 3000)
        if found.status == "win":
            wins += 1
            proof = core.prove_fours(board, board.side, found.line)
            assert proof.plies <= len(found.line) + 2
            assert certify(board, board.side, read(proof, {})).plies <= proof.plies
    assert wins >= 3


def test_no_defence_outlasts_the_plies_that_a_solver_names() -> None:
    """The solver once said 19 here and took 21 to 23."""
    board = core.Board(15, 15, core.FREESTYLE)
    for number, (x, y) in enumerate(((4, 10), (5, 6), (5, 10), (9, 9), (6, 9), (7, 8))):
        board.put(core.cell(x, y), number % 2)
    found = core.solve_vct(board, core.BLACK, 200_000)
    assert found.proof is not None
    assert certify(board, core.BLACK, read(found.proof, {})).plies == found.plies


def proven_roots(rule: int, seed: int, games: int) -> tuple[int, int]:
    """Wins and losses that a search without a network has proven in its own games; all of them are certified."""
    rng = random.Random(f"{seed} {rule}")
    wins = losses = 0
    for game in range(games):
        size = rng.choice((10, 13, 15))
        board = core.Board(size, size, rule)
        searcher = core.Searcher(8 << 20, seed=game + 1)
        worker = core.Worker(searcher)
        while board.ply < 4:
            cell = core.cell(size // 2 + rng.randint(-2, 2), size // 2 + rng.randint(-2, 2))
            if board.legal(cell):
                board.play(cell)
        while board.winner == core.EMPTY and board.ply < 60:
            searcher.set_position(board)
            worker.run(SIMULATIONS)
            plies = searcher.proof
            if plies is not None and abs(plies) > 1:
                winner = board.side if plies > 0 else 1 - board.side
                certificate = prove(board, winner, searcher)
                assert certificate is not None, f"{board}\n{plies}"
                assert certificate.plies <= abs(plies), f"{board}\n{plies}"
                wins, losses = wins + (plies > 0), losses + (plies < 0)
            children = searcher.children()
            move = searcher.proof_move
            if move is None and children:
                move = max(children, key=lambda child: child[1])[0]
            if move is None:
                break
            board.play(move)
    return wins, losses


@pytest.mark.parametrize("rule", core.RULES)
def test_what_the_search_proves_is_certified_and_no_longer_than_it_says(rule: int) -> None:
    wins, losses = proven_roots(rule, 43, 3)
    assert wins + losses > 0


@pytest.mark.full
@pytest.mark.parametrize("rule", core.RULES)
def test_what_the_search_proves_in_many_games_is_certified(rule: int) -> None:
    wins, losses = proven_roots(rule, 44, 60)
    assert wins > 40
    assert losses > 20


def test_a_loss_is_certified_from_the_losers_turn() -> None:
    drawing = """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . x . . .
        . . x x x . . . .
        . . . . . x . . .
        . . . . . x . . .
        . . . . . . . o .
        . . . . . . . o .
        . . . . . . . . .
    """
    board = from_drawing(drawing, core.FREESTYLE, core.WHITE)
    certificate = prove(board, core.BLACK)
    assert certificate is not None
    assert "turn white" in certificate.text
    assert certificate.text.splitlines()[-2].startswith("-(")


def test_what_nobody_can_prove_is_not_claimed() -> None:
    board = core.Board(15, 15, core.FREESTYLE)
    assert prove(board, core.BLACK, vct_nodes=(100,)) is None
    assert prove(board, core.WHITE, vct_nodes=(100,)) is None


def test_caro_answers_each_stop_of_a_four(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this game a threatened line needs another move after a stop at the end of a row: plain chains are refuted."""
    board = core.Board(10, 10, core.CARO)
    moves = "f3g5d7h3d5d6e4c6e6e7c4b3e2f6h4g4g2h1f2d8c9d2"
    for column, row in zip(moves[::2], moves[1::2], strict=True):
        board.play(core.cell(ord(column) - ord("a"), 10 - int(row)))
    searcher = core.Searcher(32 << 20, seed=2)
    searcher.set_position(board)
    core.Worker(searcher).run(3000)
    assert searcher.proof is not None
    assert searcher.proof > 0
    certificate = prove(board, core.BLACK, searcher)
    assert certificate is not None
    assert longest_game(certificate.text) == certificate.plies <= searcher.proof
    monkeypatch.setattr("renga.prove._CaroMaker", _Maker)
    with pytest.raises(Refuted, match="loser's five"):
        prove(board, core.BLACK, searcher)
