"""The networks as PyTorch modules. Owns their shape; knows no files and no training.

LineNetwork: a line part (features of one cell in one direction, a function of an 11-cell window, the same for all
four directions), the sum over the directions, and a small convolutional trunk with a policy and a value head.
ResidualNetwork: plain 3x3 residual network on the same planes, the comparison model. What a table can hold of it is
the planes of a cell, so it plays through the same search: see plane_table in brain/onnx_evaluator.py.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from cython_core.network.encoding import LINE_LIMIT, PLANES, STEPS, VARIANTS, WINDOW_REACH
from training import kernels


@dataclass(frozen=True)
class Shape:
    """What makes a network: stored with every checkpoint and export."""

    kind: str = "line"
    """`line` or `residual`."""
    hidden: int = 48
    """Features of a window below the last layer; a residual network has none."""
    channels: int = 48
    """Features of a cell: the width of the line table and of the trunk."""
    blocks: str = "sep,sep,pool,sep,sep"
    """Trunk, from the line features up."""
    head: int = 32
    """Width of the value head."""

    def as_dict(self) -> dict[str, str | int]:
        return asdict(self)


def build(shape: Shape) -> LineNetwork | ResidualNetwork:
    return LineNetwork(shape) if shape.kind == "line" else ResidualNetwork(shape)


class RowSums(torch.autograd.Function):
    """Sums of table rows. embedding_bag's own backward is far slower than sorting and using it once more."""

    @staticmethod
    def forward(ctx, table: Tensor, rows: Tensor) -> Tensor:  # type: ignore[no-untyped-def]
        ctx.save_for_backward(rows)
        ctx.size = len(table)
        return F.embedding_bag(rows, table, mode="sum")

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor, None]:  # type: ignore[no-untyped-def]
        (rows,) = ctx.saved_tensors
        flat = rows.reshape(-1)
        # Stable, so that a run and its resumed copy add in the same order.
        order = torch.sort(flat, stable=True).indices
        ends = torch.bincount(flat, minlength=ctx.size).cumsum(0)
        starts = torch.cat([ends.new_zeros(1), ends[:-1]])
        return F.embedding_bag(order // rows.shape[1], grad.contiguous(), starts, mode="sum"), None


def row_sums(table: Tensor, rows: Tensor) -> Tensor:
    """[n, width]: sums of the table rows named in rows [n, k]."""
    return RowSums.apply(table, rows)


class LinePart(nn.Module):
    """Five 3-tap layers along a line and a 1x1 layer to the table's width."""

    def __init__(self, hidden: int, channels: int) -> None:
        super().__init__()
        self.first = nn.Linear(3 * PLANES, hidden)
        self.layers = nn.ModuleList(nn.Linear(3 * hidden, hidden) for _ in range(WINDOW_REACH - 1))
        self.last = nn.Linear(hidden, channels, bias=False)
        with torch.no_grad():
            self.last.weight.mul_(0.5)

    def cells(self, variants: Tensor) -> Tensor:
        """[len(variants) * 3, PLANES]: input of a cell that is empty, own, opponent, for each variant."""
        stones = torch.eye(3)[[2, 0, 1]].repeat(len(variants), 1)
        return torch.cat([stones, F.one_hot(variants, VARIANTS).float().repeat_interleave(3, 0)], 1)

    @staticmethod
    def step(layer: nn.Linear, below: Tensor, parts: Tensor) -> Tensor:
        """Features of windows from the features of their three parts; part number len(below) is outside the board.

        Products first, then the sums: the level below has far fewer windows.
        """
        inputs, outputs = below.shape[1], layer.out_features
        below = torch.cat([below, below.new_zeros(1, inputs)])
        weight = layer.weight.view(outputs, 3, inputs).transpose(0, 1).reshape(3 * outputs, inputs)
        products = F.linear(below, weight).view(-1, outputs)
        return (row_sums(products, parts * 3 + torch.arange(3)) + layer.bias).relu_()

    def windows(self, cells: Tensor, parts: list[Tensor]) -> Tensor:
        """Line features of the windows described by `parts`, one [windows, 3] index tensor per level."""
        features = self.step(self.first, cells, parts[0])
        for layer, part in zip(self.layers, parts[1:], strict=True):
            features = self.step(layer, features, part) + row_sums(features, part[:, 1:2])  # type: ignore[arg-type]
        return self.last(features).clamp(-LINE_LIMIT, LINE_LIMIT)

    def table(self, cells: Tensor, parts: list[Tensor]) -> Tensor:
        """The same by the core's kernels, before the limit."""
        layers = [self.first, *self.layers]
        features = cells
        for layer, part in zip(layers, parts, strict=True):
            features = kernels.WindowLayer.apply(features, layer.weight, layer.bias, part, layer is not self.first)
        return kernels.Product.apply(features, self.last.weight)

    def board(self, planes: Tensor) -> Tensor:
        """The same on whole boards [n, PLANES, h, w] by convolution: sum over the directions [n, channels, h, w]."""
        totals = []
        for dx, dy in STEPS:
            features = F.relu(along(self.first, planes, dx, dy))
            for layer in self.layers:
                features = features + F.relu(along(layer, features, dx, dy))  # type: ignore[arg-type]
            totals.append(F.conv2d(features, self.last.weight[:, :, None, None]).clamp(-LINE_LIMIT, LINE_LIMIT))
        return torch.stack(totals).sum(0)


def along(layer: nn.Linear, planes: Tensor, dx: int, dy: int) -> Tensor:
    """A 3-tap layer along one direction, as a 3x3 convolution with taps only on that line."""
    taps = layer.weight.view(layer.out_features, 3, -1)
    width = taps.shape[2]
    kernel = taps.new_zeros(layer.out_features, width, 3, 3)
    for tap in range(3):
        kernel[:, :, 1 + (tap - 1) * dy, 1 + (tap - 1) * dx] = taps[:, tap]
    return F.conv2d(planes, kernel, layer.bias, padding=1)


class Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return (x + self.second(self.first(x).relu_())).relu_()


class Conv(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return (x + self.conv(x)).relu_()


class Separable(nn.Module):
    """Depthwise and pointwise convolution with a residual connection."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.depth = nn.Conv2d(channels, channels, 3, padding=1, groups=channels)
        self.point = nn.Conv2d(channels, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.point(self.depth(x).relu_()).relu_()


class Pool(nn.Module):
    """Tells every cell what is the strongest feature on the board, and the mean."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.dense = nn.Linear(2 * channels, channels)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.dense(pooled(x))[:, :, None, None]


MODULES = {"res": Residual, "conv": Conv, "sep": Separable, "pool": Pool}
"""The modules of training/blocks.py's kinds."""


def pooled(x: Tensor) -> Tensor:
    """[n, 2 * channels]: mean and maximum over the board."""
    # With the channels innermost, as the trunk keeps them, both reductions run over whole rows.
    cells = x.permute(0, 2, 3, 1).flatten(1, 2)
    return torch.cat([cells.mean(1), cells.max(1).values], 1)


class Trunk(nn.Module):
    """Summed line features [n, channels, h, w] -> policy logits [n, h * w] and win/draw/loss logits [n, 3]."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.channels
        self.bias = nn.Parameter(torch.zeros(width))
        self.blocks = nn.Sequential(*(MODULES[name](width) for name in shape.blocks.split(",")))
        self.policy = nn.Conv2d(width, 1, 1)
        self.value = nn.Sequential(nn.Linear(2 * width, shape.head), nn.ReLU(), nn.Linear(shape.head, 3))

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        x = self.blocks((features + self.bias[:, None, None]).relu_())
        return self.policy(x).flatten(1), self.value(pooled(x))

    def from_table(self, table: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
        """The same by the core's kernels, from line features that `rows` [n, h, w, 4] names, before their limit."""
        pools = tuple(isinstance(block, Pool) for block in self.blocks)
        logits, means = kernels.Trunk.apply(
            table, rows, self.bias, self.policy.weight, self.policy.bias, pools, *self.blocks.parameters()
        )
        return logits, self.value(means)


class LineNetwork(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.line = LinePart(shape.hidden, shape.channels)
        self.trunk = Trunk(shape)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Whole boards, by convolution: the reference form."""
        return self.answers(self.features(planes))

    def features(self, planes: Tensor) -> Tensor:
        """What the engine sums from its tables."""
        return self.line.board(planes)

    def answers(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """What the engine runs."""
        return self.trunk(features)

    def from_windows(self, parts: list[Tensor], rows: Tensor) -> tuple[Tensor, Tensor]:
        """The same from distinct windows; parts and `rows` [n, h, w, 4] as WindowLookup gives them."""
        cells = self.line.cells(torch.arange(VARIANTS))
        if kernels.fit(self.shape.hidden, self.shape.channels, self.shape.blocks):
            return self.trunk.from_table(self.line.table(cells, parts), rows)
        return self.from_windows_plainly(cells, parts, rows)

    def from_windows_plainly(self, cells: Tensor, parts: list[Tensor], rows: Tensor) -> tuple[Tensor, Tensor]:
        """The same without kernels of ours, for any network."""
        n, height, width, _ = rows.shape
        table = self.line.windows(cells, parts)
        summed = row_sums(table, rows.view(-1, 4))
        return self.trunk(summed.view(n, height, width, -1).permute(0, 3, 1, 2))

    @torch.no_grad()
    def borrow_variant(self, source: int, target: int) -> None:
        """Makes a variant that was never trained see every window as another one does."""
        planes = self.line.first.weight.view(-1, 3, PLANES)
        planes[:, :, 3 + target] = planes[:, :, 3 + source]


class ResidualNetwork(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.entry = nn.Conv2d(PLANES, shape.channels, 5, padding=2, bias=False)
        self.trunk = Trunk(shape)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        return self.answers(self.features(planes))

    def features(self, planes: Tensor) -> Tensor:
        return planes

    def answers(self, features: Tensor) -> tuple[Tensor, Tensor]:
        return self.trunk(self.entry(features))

    @torch.no_grad()
    def borrow_variant(self, source: int, target: int) -> None:
        self.entry.weight[:, 3 + target] = self.entry.weight[:, 3 + source]


def planes_of(boards: Tensor, variants: Tensor) -> Tensor:
    """Input planes [n, PLANES, h, w] of boards [n, h, w] (0 empty, 1 own, 2 opponent)."""
    stones = torch.stack([boards == 1, boards == 2, boards == 0], 1).float()
    constant = F.one_hot(variants.long(), VARIANTS).float()[:, :, None, None]
    return torch.cat([stones, constant.expand(-1, -1, *boards.shape[1:])], 1)
