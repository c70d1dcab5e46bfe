"""The fast replay of strategies says what the verifier says."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from walks import random_walks

import cython_core as core
from renga.certificate import Step, certificate_text, certify
from renga.prove import escapes, read
from renga.verify import Refuted, verify

ENOUGH = 1_000_000
WITHOUT_FOULS = [rule for rule in core.RULES if rule != core.RENJU]


def threatened(rule: int, seed: int, walks: int) -> Iterator[tuple[core.Board, int, Step]]:
    """Positions in which the side that is not to move would win by threats, and how."""
    for board in random_walks(seed, rule, walks):
        attacker = 1 - board.side
        proof = core.solve_vct(board, attacker, 2000).proof
        if proof is not None:
            yield board, attacker, read(proof, {})


def steps_of(strategy: Step) -> list[Step]:
    found, seen = [strategy], {id(strategy)}
    for step in found:
        for other in (*step.replies.values(), step.otherwise):
            if other is not None and id(other) not in seen:
                seen.add(id(other))
                found.append(other)
    return found


@pytest.mark.parametrize("rule", WITHOUT_FOULS)
def test_escapes_are_those_of_the_verifier(rule: int) -> None:
    tried = 0
    for board, attacker, strategy in threatened(rule, 71, 25):
        key = board.key
        found = escapes(board, attacker, strategy)
        assert core.Strategy(strategy).escapes(board, attacker, ENOUGH) == (None if found is None else sorted(found))
        assert board.key == key
        tried += 1
    assert tried >= 5


@pytest.mark.parametrize("rule", WITHOUT_FOULS)
def test_whole_and_damaged_strategies_are_decided_as_by_the_verifier(rule: int) -> None:
    rng = random.Random(rule)
    refused = 0
    for board, attacker, strategy in threatened(rule, 72, 25):
        board.side = attacker
        plies = core.Strategy(strategy).plies(board, attacker, ENOUGH)
        assert plies == certify(board, attacker, strategy).plies
        for step in rng.sample(steps_of(strategy), min(12, len(steps_of(strategy)))):
            kept = dict(step.replies), step.otherwise
            if step.replies and rng.random() < 0.7:
                del step.replies[rng.choice(list(step.replies))]
            else:
                step.otherwise = None
            found = core.Strategy(strategy).plies(board, attacker, ENOUGH)
            try:
                assert verify(certificate_text(board, attacker, strategy, 999).encode()).plies == found
            except Refuted:
                assert found is None
                refused += 1
            step.replies, step.otherwise = kept
    assert refused >= 1


def test_a_replay_ends_with_its_stones() -> None:
    board, attacker, strategy = next(
        found for found in threatened(core.FREESTYLE, 71, 25) if len(steps_of(found[2])) > 10
    )
    assert core.Strategy(strategy).escapes(board, attacker, 3) is None
    board.side = attacker
    assert core.Strategy(strategy).plies(board, attacker, 3) is None


def test_a_position_with_fouls_or_an_end_is_refused() -> None:
    strategy = core.Strategy(Step(core.cell(4, 0)))
    assert strategy.steps == 1
    with pytest.raises(ValueError, match="without fouls"):
        strategy.plies(core.Board(9, 9, core.RENJU), core.BLACK, 10)
    board = core.Board(9, 9, core.FREESTYLE)
    with pytest.raises(ValueError, match="no such side: 2"):
        strategy.plies(board, 2, 10)
    for x in range(4):
        board.put(core.cell(x, 0), core.BLACK)
    assert strategy.plies(board, core.BLACK, 10) == 1
    board.put(core.cell(4, 0), core.BLACK)
    with pytest.raises(ValueError, match="the game is over"):
        strategy.plies(board, core.BLACK, 10)
    with pytest.raises(ValueError, match=r"cell|board"):
        core.Strategy(Step(core.cell(20, 0))).plies(core.Board(9, 9, core.FREESTYLE), core.BLACK, 10)
