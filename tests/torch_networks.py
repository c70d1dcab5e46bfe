"""Small random networks of PyTorch, for tests of the training."""

from __future__ import annotations

import torch

from training.network import LineNetwork, ResidualNetwork, Shape, build

# A test's networks are so small that a second thread only waits.
torch.set_num_threads(1)

SHAPE = Shape(hidden=8, channels=8, blocks="sep,pool,conv,res", head=8)
RESIDUAL = Shape("residual", channels=8, blocks="res,res", head=8)


def network_of(shape: Shape, seed: int = 0) -> LineNetwork | ResidualNetwork:
    torch.manual_seed(seed)
    return build(shape).eval()


def line_network(seed: int = 0) -> LineNetwork:
    network = network_of(SHAPE, seed)
    assert isinstance(network, LineNetwork)
    return network
