"""Positions of a data set -> arrays for the network: boards, targets, symmetries and shifts. numpy only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cython_core import RULES
from training.dataset import NO_EVAL, DataSet
from training.games import DECIDED, EVAL_SCALE
from training.windows import VARIANT_OF

SIGHT = 5
"""A stone this far from an edge does not see it: the half length of a line window."""

VARIANT_NUMBERS = np.zeros((1 + max(RULES), 2), np.uint8)
"""VARIANT_OF as an array [rule, side to move]."""
for _key, _variant in VARIANT_OF.items():
    VARIANT_NUMBERS[_key] = _variant


@dataclass(frozen=True)
class Batch:
    """n positions of one board size, seen by the side to move."""

    boards: np.ndarray
    """uint8 [n, height, width]: 0 empty, 1 own, 2 opponent."""
    variants: np.ndarray
    """uint8 [n]: number of the line table, see training.windows.VARIANT_OF."""
    policy: np.ndarray
    """float32 [n, height * width]: shares of the moves."""
    policy_weight: np.ndarray
    """float32 [n]: 0 where the move was made without a real search."""
    value: np.ndarray
    """float32 [n, 3]: win, draw, loss for the side to move."""
    value_weight: np.ndarray
    """float32 [n]: 0 where nothing is known about the result."""
    chosen: np.ndarray
    """int64 [n]: index y * width + x of the move played."""
    game_length: float
    """Mean length of the games the positions are from, in plies."""


def ranges(starts: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(row, index): for each row i the indices starts[i] .. starts[i] + counts[i] - 1."""
    row = np.repeat(np.arange(len(counts)), counts)
    return row, np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts) + starts[row]


def value_targets(data: DataSet, game: np.ndarray, ply: np.ndarray, eval_share: float) -> tuple[np.ndarray, np.ndarray]:
    """Win/draw/loss shares and their weights: result and teacher's evaluation mixed, proven evaluations exact."""
    games = data.games[game]
    result = games["result"].astype(np.int64)
    # Result codes are B, W, D, ?; black moves on even plies.
    outcome = np.where(result == 2, 1, np.where(result == ply % 2, 0, 2))
    ended = np.eye(3, dtype=np.float32)[outcome]
    evals = data.evals[games["start"].astype(np.int64) + ply].astype(np.float32)
    known, unknown = evals != NO_EVAL, result == 3
    rate = 1 / (1 + np.exp(-np.clip(evals / EVAL_SCALE, -20, 20)))
    rate = np.where(np.abs(evals) > DECIDED, evals > 0, rate)
    teacher = np.stack([rate, np.zeros_like(rate), 1 - rate], 1).astype(np.float32)
    share = np.where(known, np.where(unknown | (np.abs(evals) > DECIDED), 1.0, eval_share), 0.0)[:, None]
    target = (1 - share) * ended + share * teacher
    return target.astype(np.float32), (known | ~unknown).astype(np.float32)


def axis_shift(low: np.ndarray, high: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Random shift along one axis for stones filling low..high: only where no stone sees an edge, before or after."""
    room_low, room_high = low - SIGHT, size - 1 - SIGHT - high
    free = (room_low >= 0) & (room_high >= 0)
    shift = np.floor(rng.random(len(low)) * (room_low + room_high + 1)).astype(np.int64) - room_low
    return np.where(free, shift, 0)


def make_batch(
    data: DataSet, game: np.ndarray, ply: np.ndarray, rng: np.random.Generator | None = None, eval_share: float = 0.5
) -> Batch:
    """Positions before move `ply` of `game`, all of one board size. With `rng`: random symmetry and shift."""
    games = data.games[game]
    n, width, height = len(game), int(games["width"][0]), int(games["height"][0])
    ply = ply.astype(np.int64)
    start = games["start"].astype(np.int64)
    # The move itself travels with the stones, so that symmetry and shift treat them alike.
    row, index = ranges(start, ply + 1)
    cell = data.moves[index].astype(np.int64)
    x, y = cell % 32, cell // 32
    turn = index - start[row]
    policy_start = np.where(start + ply > 0, data.ends[np.maximum(start + ply, 1) - 1], 0).astype(np.int64)
    policy_row, policy_index = ranges(policy_start, data.ends[start + ply].astype(np.int64) - policy_start)
    wanted = data.policy["cell"][policy_index].astype(np.int64)
    px, py = wanted % 32, wanted // 32
    if rng is not None:
        square = width == height
        flip_x, flip_y = rng.integers(0, 2, (2, n)).astype(bool)
        swap = rng.integers(0, 2, n).astype(bool) & square
        x, y = np.where(flip_x[row], width - 1 - x, x), np.where(flip_y[row], height - 1 - y, y)
        px, py = (np.where(flip_x[policy_row], width - 1 - px, px),
                  np.where(flip_y[policy_row], height - 1 - py, py))  # fmt: skip
        x, y = np.where(swap[row], y, x), np.where(swap[row], x, y)
        px, py = np.where(swap[policy_row], py, px), np.where(swap[policy_row], px, py)
        first = np.cumsum(ply + 1) - (ply + 1)
        moved = rng.random(n) < 0.5
        for values, wanted_values, size in ((x, px, width), (y, py, height)):
            low, high = np.minimum.reduceat(values, first), np.maximum.reduceat(values, first)
            np.minimum.at(low, policy_row, wanted_values)
            np.maximum.at(high, policy_row, wanted_values)
            shift = np.where(moved, axis_shift(low, high, size, rng), 0)
            values += shift[row]
            wanted_values += shift[policy_row]
    boards = np.zeros((n, height, width), np.uint8)
    stone = turn < ply[row]
    own = (turn[stone] - ply[row[stone]]) % 2 == 0
    boards[row[stone], y[stone], x[stone]] = np.where(own, 1, 2)
    chosen = y[~stone] * width + x[~stone]
    policy = np.zeros((n, height * width), np.float32)
    policy[policy_row, py * width + px] = data.policy["share"][policy_index]
    targeted = policy.sum(1) > 0
    policy[np.arange(n), chosen] += ~targeted
    policy /= policy.sum(1, keepdims=True)
    policy_weight = (targeted | (games["searched"] == 0)).astype(np.float32)
    variants = VARIANT_NUMBERS[games["rule"], ply % 2]
    value, weight = value_targets(data, game, ply, eval_share)
    return Batch(boards, variants, policy, policy_weight, value, weight, chosen, float(games["length"].mean()))
