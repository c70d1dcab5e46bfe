"""Layers of a line network with their gradients, by the core's kernels, for PyTorch.

training/network.py has the plain form of each and says when this one is taken. Boards have their channels last here:
[n, height, width, channels]; windows and parts are int32.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from torch import Tensor

from cython_core.learning import trunk, windows
from cython_core.network.encoding import LINE_LIMIT


def fit(hidden: int, channels: int, blocks: str) -> bool:
    """Whether there are kernels for a line network of this shape."""
    return not (hidden % 16 or channels % 16) and set(blocks.split(",")) <= {"sep", "pool"}


def use_threads(count: int) -> None:
    """From here on PyTorch and the library of `product` work with so many threads."""
    torch.set_num_threads(count)
    threadpool_limits(count, user_api="blas")


def product(left: Tensor, right: Tensor) -> Tensor:
    """left . right, by numpy's library: PyTorch's keeps to half of the registers on AMD's processors."""
    return torch.from_numpy(np.matmul(left.detach().numpy(), right.detach().numpy()))


def numbers(tensor: Tensor) -> np.ndarray:
    """The tensor's own memory as one row of numbers."""
    return tensor.detach().view(-1).numpy()


class Product(torch.autograd.Function):
    """x . weight^T: a layer without a bias."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return product(x, weight.t())

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        x, weight = ctx.saved_tensors
        return product(grad, weight), product(grad.t(), x)


class WindowLayer(torch.autograd.Function):
    """Features of windows from those of their parts: a 3-tap layer and relu; the centre's features added or not."""

    @staticmethod
    def forward(ctx: Any, below: Tensor, weight: Tensor, bias: Tensor, parts: Tensor, residual: bool) -> Tensor:
        inputs, outputs = below.shape[1], len(bias)
        # Products first, then the sums: the level below has far fewer windows.
        matrix = weight.view(outputs, 3, inputs).transpose(0, 1).reshape(3 * outputs, inputs)
        products = product(below, matrix.t())
        out = below.new_empty(len(parts), outputs)
        windows.forward(numbers(parts), numbers(products), numbers(below) if residual else None, numbers(bias),
                             numbers(out))  # fmt: skip
        ctx.save_for_backward(below, matrix, parts, out)
        ctx.residual = residual
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        below, matrix, parts, out = ctx.saved_tensors
        inputs, outputs = below.shape[1], out.shape[1]
        grad_products, grad_bias = below.new_empty(len(below), 3 * outputs), below.new_zeros(outputs)
        grad_below = torch.empty_like(below) if ctx.residual else torch.zeros_like(below)
        residual = (numbers(below), numbers(grad_below)) if ctx.residual else (None, None)
        windows.backward(numbers(parts), residual[0], numbers(out), numbers(grad.contiguous()),
                              numbers(grad_products), residual[1], numbers(grad_bias))  # fmt: skip
        grad_below += product(grad_products, matrix)
        grad_matrix = product(grad_products.t(), below).view(3, outputs, inputs)
        return grad_below, grad_matrix.transpose(0, 1).reshape(outputs, 3 * inputs), grad_bias, None, None


def unpacked(row: Tensor, channels: int, pool: bool) -> list[Tensor]:
    """A block's weights within what the core is given of it, each with its outputs first: of a `pool` its layer and its
    bias, of a `sep` those of both convolutions."""
    bias, rest = row[10 * channels : 11 * channels], row[11 * channels :].view(2 * channels, channels)
    if pool:
        return [rest.t(), bias]
    return [row[: 9 * channels].view(9, channels).t(), row[9 * channels : 10 * channels], rest[:channels], bias]


class Trunk(torch.autograd.Function):
    """From line features to the policy's logits and to what the value is made of: the whole trunk, board by board."""

    @staticmethod
    def forward(
        ctx: Any, table: Tensor, where: Tensor, bias: Tensor, policy: Tensor, policy_bias: Tensor,
        pools: tuple[bool, ...], *weights: Tensor,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        """`where` [n, height, width, 4] names rows of the table. `pools`: for each block whether it is one; the weights
        are those of all blocks in turn."""
        n, height, width, _ = where.shape
        channels = len(bias)
        packed = torch.zeros(len(pools), trunk.packed_size(channels))
        places = [place for row, pool in zip(packed, pools, strict=True) for place in unpacked(row, channels, pool)]
        for place, values in zip(places, weights, strict=True):
            place.copy_(values.view(place.shape))
        for row, pool in zip(packed, pools, strict=True):
            if not pool:
                point = row[11 * channels :].view(2, channels, channels)
                point[1] = point[0].t()
        x = table.new_empty(len(pools) + 1, n, height, width, channels)
        logits, means = table.new_empty(n, height * width), table.new_empty(n, 2 * channels)
        ctx.batch = trunk.Batch(n, height, width, channels, pools)
        ctx.batch.forward(numbers(where), numbers(table), LINE_LIMIT, numbers(bias), numbers(packed), numbers(policy),
                          numbers(policy_bias), numbers(x), numbers(logits), numbers(means))  # fmt: skip
        ctx.save_for_backward(table, where, policy, packed, x)
        ctx.pools, ctx.shapes = pools, [values.shape for values in weights]
        return logits, means

    @staticmethod
    def backward(ctx: Any, grad_logits: Tensor, grad_means: Tensor) -> tuple[Tensor | None, ...]:
        table, where, policy, packed, x = ctx.saved_tensors
        channels = x.shape[-1]
        grad_table, grad_packed, grad_bias = torch.zeros_like(table), torch.zeros_like(packed), x.new_zeros(channels)
        grad_policy = torch.zeros_like(policy)
        ctx.batch.backward(numbers(where), numbers(table), LINE_LIMIT, numbers(packed), numbers(policy), numbers(x),
                           numbers(grad_logits.contiguous()), numbers(grad_means.contiguous()), numbers(grad_table),
                           numbers(grad_bias), numbers(grad_packed), numbers(grad_policy))  # fmt: skip
        places = [
            place for row, pool in zip(grad_packed, ctx.pools, strict=True) for place in unpacked(row, channels, pool)
        ]
        grads = [place.reshape(shape) for place, shape in zip(places, ctx.shapes, strict=True)]
        return grad_table, None, grad_bias, grad_policy, grad_logits.sum().view(1), None, *grads
