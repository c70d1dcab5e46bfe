"""What can be asked of a search at its root: least visits, a move to begin with, noise."""

import pytest
from searching import OPEN_THREE_TO_ANSWER, QUIET, searched, snapshot
from walks import from_drawing

import cython_core as core


def test_every_root_move_gets_its_minimum_of_visits() -> None:
    searcher = searched(from_drawing(QUIET, core.FREESTYLE), 600, min_root_visits=2)
    assert all(child[1] >= 2 for child in searcher.children() if child[5] is None)


def test_simulations_begin_with_the_move_they_are_given() -> None:
    searcher = searched(from_drawing(QUIET, core.FREESTYLE), 50)
    worker = core.Worker(searcher)

    def visits() -> dict[int, int]:
        return {child[0]: child[1] for child in searcher.children()}

    before = visits()
    chosen = min(before, key=before.__getitem__)
    searcher.begin_with(chosen)
    assert worker.run(20) == 20
    assert visits() == {**before, chosen: before[chosen] + 20}
    searcher.begin_with(core.cell(0, 0) if core.cell(0, 0) not in before else core.cell(10, 0))
    worker.run(20)
    assert visits()[chosen] <= before[chosen] + 21, "without such an edge the search goes as it likes"
    searcher.begin_with(chosen)
    searcher.set_position(from_drawing(QUIET, core.FREESTYLE))
    settled = visits()[chosen]
    worker.run(50)
    assert visits()[chosen] < settled + 25, "a new root lifts it"


def test_a_move_that_is_proven_lost_is_not_begun_with_again() -> None:
    searcher = searched(from_drawing(OPEN_THREE_TO_ANSWER, core.FREESTYLE), 2, statics=0, own_vcf_nodes=0,
                        other_vcf_nodes=30)  # fmt: skip
    worker = core.Worker(searcher)
    for child in searcher.children():
        searcher.begin_with(child[0])
        worker.run(30)
    proofs = {child[0]: child[5] for child in searcher.children()}
    lost = next(cell for cell, proof in proofs.items() if proof is not None and proof < 0)
    before = next(child[1] for child in searcher.children() if child[0] == lost)
    searcher.begin_with(lost)
    assert worker.run(10) == 10
    assert next(child[1] for child in searcher.children() if child[0] == lost) == before


def test_noise_moves_the_priors_and_keeps_their_sum() -> None:
    searcher = searched(from_drawing(QUIET, core.FREESTYLE), 1)
    before = {child[0]: child[4] for child in searcher.children()}
    searcher.add_noise(0.25)
    after = {child[0]: child[4] for child in searcher.children()}
    assert before.keys() == after.keys()
    assert all(after[cell] >= 0.75 * before[cell] - 1e-4 for cell in before)
    assert sum(after.values()) == pytest.approx(0.75 * sum(before.values()) + 0.25, abs=0.005)
    assert after != before


def test_inner_noise_changes_the_search_and_still_repeats() -> None:
    board = from_drawing(QUIET, core.FREESTYLE)
    noisy = snapshot(searched(board, 800, inner_noise=0.1))
    assert noisy == snapshot(searched(board, 800, inner_noise=0.1))
    assert noisy != snapshot(searched(board, 800))
