"""VCT: every proof is replayed by the reference against every reply."""

import pytest
from walks import from_drawing, mirrored, random_walks, seen_by_reference

import cython_core as core
from bench import reference
from bench.tactics import read_proof
from cython_core import probes

NODES = 10_000


def why_wrong(board: core.Board, attacker: int, result: core.VctResult) -> str | None:
    assert result.proof is not None
    assert result.move == result.line[0] == result.proof.move
    return reference.why_vct_fails(seen_by_reference(board), attacker, read_proof(result.proof, {}))


def check_proofs(rule: int, seed: int, count: int) -> int:
    """How many proofs beyond a VCF there were; all of them replay."""
    wins = 0
    for board in random_walks(seed, rule, count):
        for attacker in (core.BLACK, core.WHITE):
            result = core.solve_vct(board, attacker, NODES)
            fours = core.solve_vcf(board, attacker, NODES)
            if result.status == "none":
                assert fours.status == "none"
            if result.status == "win":
                wins += fours.status == "none"
                assert why_wrong(board, attacker, result) is None, f"{board}\n{attacker} {result}"
    return wins


@pytest.mark.parametrize("rule", core.RULES)
def test_every_proof_found_on_random_walks_replays(rule: int) -> None:
    assert check_proofs(rule, 11, 25) >= 3


@pytest.mark.full
@pytest.mark.parametrize("rule", core.RULES)
def test_every_proof_found_on_many_random_walks_replays(rule: int) -> None:
    assert check_proofs(rule, 12, 300) >= 30


@pytest.mark.parametrize("rule", core.RULES)
def test_no_symmetry_contradicts_another(rule: int) -> None:
    for board in random_walks(13, rule, 10):
        for attacker in (core.BLACK, core.WHITE):
            statuses = {core.solve_vct(mirrored(board, s), attacker, NODES).status for s in range(8)}
            assert len(statuses - {"unknown"}) <= 1


@pytest.mark.parametrize("rule", core.RULES)
def test_the_board_is_restored_bit_for_bit(rule: int) -> None:
    for board in random_walks(14, rule, 10):
        before = probes.snapshot(board)
        for nodes in (0, 1, 7, 50, 1000):
            for attacker in (core.BLACK, core.WHITE):
                core.solve_vct(board, attacker, nodes)
                assert probes.snapshot(board) == before


def test_the_same_question_gets_the_same_answer() -> None:
    for board in random_walks(15, core.FREESTYLE, 5):
        assert core.solve_vct(board, core.BLACK, 2000) == core.solve_vct(board, core.BLACK, 2000)


def test_two_open_threes_win() -> None:
    drawing = """
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
    board = from_drawing(drawing, core.FREESTYLE)
    result = core.solve_vct(board, core.BLACK, NODES)
    assert result.status == "win"
    assert result.plies == 5, "three, reply, open four, reply, five"
    assert core.solve_vcf(board, core.BLACK, NODES).status == "none"
    assert why_wrong(board, core.BLACK, result) is None


def test_threes_are_given_up_at_once_where_the_defender_wins_by_fours() -> None:
    """They were followed through all of his fours: 1,969 stones."""
    drawing = """
        . . . . . . . . . . . . . . .
        . . . x . x . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . x . x . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . o o o . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
    """
    result = core.solve_vct(from_drawing(drawing, core.FREESTYLE), core.BLACK, NODES)
    assert result.status == "none"
    assert result.nodes < 600


def test_black_may_not_win_by_two_threes_in_renju() -> None:
    drawing = """
        . . . . . . . . .
        . . . . . . . . .
        . . . . x . . . .
        . . . . x . . . .
        . . x x . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """
    board = from_drawing(drawing, core.RENJU)
    result = core.solve_vct(board, core.BLACK, 200_000)
    assert result.move != core.cell(4, 4)
    if result.status == "win":
        assert why_wrong(board, core.BLACK, result) is None


def test_an_empty_board_has_no_threats() -> None:
    assert core.solve_vct(core.Board(15, 15, core.FREESTYLE), core.BLACK, NODES).status == "none"
