"""Proof-number search: wins that need quiet moves, certified; its state survives a kill."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from plain_proofs import Fails, longest_game
from walks import random_walks

import cython_core as core
from renga.__main__ import main as renga
from renga.certificate import certify, text_of
from renga.proof_graph import MEMORY, NODE_BYTES, Graph
from renga.proof_search import ProofSearch
from renga.prove import escapes, read

LITTLE = 60
"""Stones for the threats: so few that the search has to find what the solver would."""


def beyond_the_solver() -> core.Board:
    """A win by threats that takes the solver a few hundred stones."""
    board = list(random_walks(61, core.FREESTYLE, 9))[8]
    assert core.solve_vct(board, board.side, 5000).status == "win"
    assert core.solve_vct(board, board.side, LITTLE).status == "unknown"
    return board


def little_search(state: Path | None = None, memory: int = MEMORY) -> ProofSearch:
    return ProofSearch(beyond_the_solver(), state, vct_nodes=(LITTLE, LITTLE), width=8, network="off", memory=memory)


def test_a_win_beyond_the_solver_is_found_and_certified() -> None:
    search = little_search()
    assert not search.proven
    assert search.run(120)
    certificate = search.certificate()
    assert certificate.verified.lines > 2
    assert longest_game(certificate.text) == certificate.plies


def test_a_win_that_no_threat_begins_is_found_after_a_pass() -> None:
    """Two stones and the move: threats alone do not win, and most of the replies to the quiet move are covered."""
    board = core.Board(15, 15, core.FREESTYLE)
    for x, y, colour in ((7, 7, core.BLACK), (8, 6, core.BLACK), (0, 14, core.WHITE)):
        board.put(core.cell(x, y), colour)
    assert core.solve_vct(board, core.BLACK, 100_000).status == "none"
    search = ProofSearch(board, network="off")
    assert search.run(300)
    certificate = search.certificate()
    assert certificate.plies > 15
    table = certificate.text.splitlines()[-2].partition("(")[2].partition(")")[0]
    assert table.count(",") + table.count(":") < 60


def test_a_killed_search_goes_on_with_what_was_proven(tmp_path: Path) -> None:
    state = tmp_path / "state.txt"
    first = little_search(state)
    assert first.run(120)
    lines = state.read_text().splitlines()
    assert lines, "positions beyond the solver were proven"
    state.write_text("\n".join(lines) + "\n" + lines[0][:7])  # a kill in the middle of a line
    again = little_search(state)
    assert again.run(120)
    assert again.positions <= first.positions
    assert again.certificate().plies > 0


def test_a_line_cut_short_by_a_kill_does_not_spoil_the_next_one(tmp_path: Path) -> None:
    """A search that was killed twice refused its own state."""
    state = tmp_path / "state.txt"
    state.write_text("h8 / h7 i")
    assert little_search(state).run(120)
    whole = state.read_text()
    assert little_search(state).run(120)
    assert state.read_text() == whole


def test_what_was_searched_least_is_forgotten_where_memory_ends() -> None:
    most = 200
    board = core.Board(15, 15, core.STANDARD)
    search = ProofSearch(board, vct_nodes=(100, 100), network="off", memory=most * NODE_BYTES)
    assert not search.run(120, positions=60)
    assert search.positions >= 60
    assert 1 < len(search.graph) <= most
    assert search.root.proof > 0 < search.root.disproof


def test_a_search_with_little_memory_ends_with_a_whole_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """It meets 35 positions where there is room for them."""
    forgotten = []
    forget = Graph.forget
    monkeypatch.setattr(Graph, "forget", lambda *given: (forgotten.append(len(given[0])), forget(*given)))
    search = little_search(memory=32 * NODE_BYTES)
    assert search.run(120)
    assert forgotten
    certificate = search.certificate()
    assert longest_game(certificate.text) == certificate.plies


def test_no_move_is_tried_twice_at_a_position() -> None:
    """Where the move that won after two other replies was the same, it was its own rival."""
    board = core.Board(15, 15, core.STANDARD)
    for x, y in ((7, 7), (8, 8), (6, 9), (9, 5), (5, 5)):
        board.play(core.cell(x, y))
    search = ProofSearch(board, vct_nodes=(100, 100), network="off")
    search.run(120, positions=200)
    moves = [[cell for cell, _ in node.moves] for node in search.graph]
    assert len(moves) > 200
    assert all(len(cells) == len(set(cells)) for cells in moves)


def test_a_long_search_says_how_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("renga.proof_search.PROGRESS_S", 0.0)
    said: list[str] = []
    search = ProofSearch(core.Board(15, 15, core.STANDARD), vct_nodes=(100, 100), network="off", say=said.append)
    search.run(60, positions=3)
    assert said[-1].startswith("3 positions looked at, ")


def test_a_damaged_state_is_refused_by_its_line(tmp_path: Path) -> None:
    state = tmp_path / "state.txt"
    state.write_text("h8 / h7 > h9\nz99 / > a1\n")
    with pytest.raises(ValueError, match=r"state.txt:2: not a position and a move"):
        ProofSearch(core.Board(15, 15, core.FREESTYLE), state, network="off")


def test_an_empty_board_is_not_proven_in_a_moment() -> None:
    search = ProofSearch(core.Board(15, 15, core.STANDARD), vct_nodes=(100, 100), network="off")
    assert not search.run(0.2)
    assert not search.proven


@pytest.mark.parametrize("rule", core.RULES)
def test_replies_that_do_not_escape_really_lose(rule: int) -> None:
    tried = 0
    rng = random.Random(rule)
    for board in random_walks(51, rule, 30):
        attacker = 1 - board.side
        proof = core.solve_vct(board, attacker, 2000).proof
        if proof is None or board.width * board.height > 130:
            continue
        strategy = read(proof, {})
        found = escapes(board, attacker, strategy)
        if found is None:
            continue
        tried += 1
        cells = [core.cell(x, y) for y in range(board.height) for x in range(board.width)]
        for reply in rng.sample([cell for cell in cells if board.legal(cell)], 8):
            board.play(reply)
            if reply in found:
                with pytest.raises(Fails):
                    longest_game(with_attacker_to_move(text_of(board, attacker, strategy)))
            else:
                assert certify(board, attacker, strategy).plies > 0
            board.undo()
    assert tried > 0


def with_attacker_to_move(text: str) -> str:
    """The same strategy without the step that waits for the loser."""
    lines = text.splitlines()
    lines[-2] = lines[-2].removeprefix("- ")
    return "\n".join([*lines, ""])


def test_the_command_searches_and_writes_the_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    proof = tmp_path / "proof.gz"
    code = "h8a1h9a3f10a5g10o15"
    assert renga(["solve", code, "--method", "search", "--seconds", "60", "--proof", str(proof)]) == 0
    assert renga(["verify", str(proof)]) == 0
    assert "VERIFIED black wins" in capsys.readouterr().out
    assert renga(["solve", "h8", "--method", "search", "--positions", "3", "--memory", "1"]) == 1
    assert "no win by search found within 3 positions" in capsys.readouterr().out
