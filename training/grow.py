"""A larger network that begins by saying what a trained one says: what is new starts unheard, not as noise."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from training.network import LineNetwork, Pool, ResidualNetwork, Shape, build

GROUPS = {".layers.": 3, ".dense.": 2, ".value.0.": 2}
"""Part of a weight's name -> how many runs of features its inputs are: taps of a line, mean and maximum."""


class GrowError(RuntimeError):
    """A network cannot be grown to that shape."""


@torch.no_grad()
def grown(network: LineNetwork | ResidualNetwork, shape: Shape) -> LineNetwork | ResidualNetwork:
    """A network of `shape` with the answers of `network`: its features are copied, nothing listens to new ones yet.

    New features begin at random, so they differ, and get a gradient as soon as a listener's weight has moved. New
    blocks come after the old ones and begin by adding next to nothing.
    """
    if shape == network.shape:
        return network
    old = network.shape
    if (shape.kind, shape.head) != (old.kind, old.head):
        raise GrowError(f"only widths and depth can grow: {old.kind} {old.head} is not {shape.kind} {shape.head}")
    if not f"{shape.blocks},".startswith(f"{old.blocks},"):
        raise GrowError(f"new blocks come after the old ones: {old.blocks} is not the beginning of {shape.blocks}")
    if shape.hidden < old.hidden or shape.channels < old.channels:
        raise GrowError(f"{old.hidden} and {old.channels} features cannot become {shape.hidden} and {shape.channels}")
    larger = build(shape)
    for block in list(larger.trunk.blocks)[len(network.trunk.blocks) :]:
        quieten(block)
    state = larger.state_dict()
    for name, value in network.state_dict().items():
        groups = next((count for part, count in GROUPS.items() if part in name and value.dim() > 1), 1)
        put(value, state[name], groups)
    larger.load_state_dict(state)
    return larger


def quieten(block: nn.Module) -> None:
    """Makes a block pass on what it is given. What it adds to that is made of its last layer: none from a pool, where
    zeros can learn; almost none from the others, whose relu would keep zeros for ever."""
    *_, weight, bias = block.parameters()
    weight.mul_(0.0 if isinstance(block, Pool) else 0.01)
    bias.zero_()


def put(old: Tensor, new: Tensor, groups: int) -> None:
    """Overwrites the old features' part of a larger tensor; their weights of new inputs become zero."""
    outputs = len(old)
    if old.dim() == 1:
        new[:outputs] = old
        return
    old, new = (value.view(len(value), groups, -1, *value.shape[2:]) for value in (old, new))
    new[:outputs] = 0
    new[:outputs, :, : old.shape[2]] = old
