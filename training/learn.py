"""Training of a network: batches in, checkpoints and curves out. Owns the checkpoint format."""

from __future__ import annotations

import contextlib
import copy
import itertools
import math
import queue
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bench.machine import revision
from training.curves import Curve, Progress
from training.dataset import DataSet, Sampling, chosen_positions, epoch_batches, one_size_groups
from training.files import replacing
from training.network import LineNetwork, Shape, build, planes_of
from training.positions import Batch, make_batch
from training.recipe import Recipe
from training.windows import WindowLookup

CHECKPOINT = "checkpoint.pt"
CHECKPOINT_FORMAT = 2
Report = Callable[[str], None]


class LearnError(RuntimeError):
    """Training cannot start or go on; the text names the file."""


def losses(logits: Tensor, wdl: Tensor, batch: Batch) -> tuple[Tensor, Tensor, dict[str, float]]:
    """Policy and value cross-entropy, and the numbers for the curves."""
    taken = torch.from_numpy(batch.boards).flatten(1) != 0
    logits = logits.masked_fill(taken, -1e9)
    log_policy = F.log_softmax(logits, 1)
    searched = torch.from_numpy(batch.policy_weight)
    policy_loss = -(torch.from_numpy(batch.policy) * log_policy).sum(1)
    policy_loss = (policy_loss * searched).sum() / searched.sum().clamp(min=1)
    weight = torch.from_numpy(batch.value_weight)
    value_loss = -(torch.from_numpy(batch.value) * F.log_softmax(wdl, 1)).sum(1)
    value_loss = (value_loss * weight).sum() / weight.sum().clamp(min=1)
    with torch.no_grad():
        chosen = torch.from_numpy(batch.chosen)
        best = logits.topk(5, 1).indices == chosen[:, None]
        shares = F.softmax(wdl, 1)
        target = torch.from_numpy(batch.value)
        error = (shares[:, 0] - shares[:, 2]) - (target[:, 0] - target[:, 2])
        numbers = {
            "policy": policy_loss.item(),
            "value": value_loss.item(),
            "top1": best[:, 0].float().mean().item(),
            "top5": best.any(1).float().mean().item(),
            "entropy": -(log_policy.exp() * log_policy.clamp(min=-50)).sum(1).mean().item(),
            "value_error": ((error**2 * weight).sum() / weight.sum().clamp(min=1)).item(),
        }
    return policy_loss, value_loss, numbers


class Inputs:
    """Makes of a batch what a network of one kind learns from: distinct windows, or planes."""

    def __init__(self, shape: Shape) -> None:
        self._lookup = WindowLookup() if shape.kind == "line" else None

    def __call__(self, batch: Batch) -> tuple[Any, ...]:
        if self._lookup is None:
            return (planes_of(torch.from_numpy(batch.boards), torch.from_numpy(batch.variants)),)
        parts, rows = self._lookup(batch.boards, batch.variants)
        return [torch.from_numpy(part) for part in parts], torch.from_numpy(rows)


def apply(network: nn.Module, inputs: tuple[Any, ...]) -> tuple[Tensor, Tensor]:
    return network.from_windows(*inputs) if isinstance(network, LineNetwork) else network(*inputs)


class Feeder:
    """Makes batches in a thread ahead of the training; the order depends on nothing but seed and step.

    As a context: at its end the thread ends, and gives back the data.
    """

    def __init__(self, data: DataSet, sampling: Sampling, recipe: Recipe, inputs: Inputs, first_step: int) -> None:
        self.data, self.sampling, self.recipe, self.inputs = data, sampling, recipe, inputs
        self.queue: queue.Queue[tuple[Batch, tuple[Any, ...]] | BaseException] = queue.Queue(4)
        self.first_step = first_step
        self.wanted = True
        self.thread = threading.Thread(target=self._fill, daemon=True)

    def __enter__(self) -> Feeder:
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.wanted = False
        while self.thread.is_alive():
            with contextlib.suppress(queue.Empty):
                self.queue.get(timeout=0.1)  # it may be waiting for room

    def _indices(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        step = 0
        for epoch in itertools.count():
            rng = np.random.default_rng([self.recipe.seed, epoch])
            batches = epoch_batches(self.data, self.sampling, self.recipe.batch, rng)
            if not batches:
                raise LearnError(f"the data set has no {self.recipe.batch} training positions of one board size")
            for game, ply in batches:
                if not self.wanted:
                    return
                step += 1
                if step > self.first_step:
                    yield step, game, ply

    def _fill(self) -> None:
        try:
            for step, game, ply in self._indices():
                rng = np.random.default_rng([self.recipe.seed, 1, step])
                batch = make_batch(self.data, game, ply, rng, self.recipe.eval_share)
                self.queue.put((batch, self.inputs(batch)))
        except BaseException as error:  # handed over: the training thread raises it
            self.queue.put(error)

    def next(self) -> tuple[Batch, tuple[Any, ...]]:
        item = self.queue.get()
        if isinstance(item, BaseException):
            raise item
        return item


@torch.no_grad()
def validate(
    network: nn.Module, data: DataSet, inputs: Inputs, limit: int = 2048, held_out_only: bool = True
) -> dict[str, float]:
    """Means over held-out (or all) positions, the same ones every time, for each source."""
    sides = [chosen_positions(data, held_out) for held_out in ([True] if held_out_only else [True, False])]
    game, ply = (np.concatenate(column) for column in zip(*sides, strict=True))
    numbers: dict[str, float] = {}
    for source, name in enumerate(data.sources):
        pick = np.flatnonzero(data.games["source"][game] == source)
        pick = pick[np.linspace(0, len(pick) - 1, min(limit, len(pick))).astype(int)] if len(pick) else pick
        totals: dict[str, float] = {}
        groups = one_size_groups(data, game, pick)
        for some in (group[start : start + 512] for group in groups for start in range(0, len(group), 512)):
            batch = make_batch(data, game[some], ply[some], None, eval_share=0.0)
            _, _, found = losses(*apply(network, inputs(batch)), batch)
            for key, value in found.items():
                totals[key] = totals.get(key, 0.0) + value * len(some) / len(pick)
        numbers |= {f"{name}.{key}": value for key, value in totals.items()}
    return numbers


class Trainer:
    """One run in one folder: resumes from its last checkpoint, exactly."""

    def __init__(
        self, folder: Path, data: DataSet, shape: Shape, recipe: Recipe, sampling: Sampling, start: str = "",
        start_rules: Iterable[int] = (),
    ) -> None:  # fmt: skip
        """`start`: id of the network that `begin_with` will be given; empty: random weights. `start_rules`: the rules
        that it has learned."""
        torch.manual_seed(recipe.seed)
        self.folder, self.data, self.recipe, self.sampling = folder, data, recipe, sampling
        self.shape, self.inputs, self.curve, self.start = shape, Inputs(shape), Curve(), start
        self.network = build(shape)
        self.network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch's stubs lack it
        self.average = copy.deepcopy(self.network)
        decayed = [p for p in self.network.parameters() if p.dim() > 1]
        others = [p for p in self.network.parameters() if p.dim() <= 1]
        groups = [{"params": decayed, "weight_decay": recipe.decay}, {"params": others, "weight_decay": 0.0}]
        self.optimiser = torch.optim.AdamW(groups, lr=recipe.rate, betas=(0.9, 0.99), fused=True)
        self.step, self.seconds = 0, 0.0
        self.seen = {"sampling": asdict(sampling), "data": data.description()}
        """What decides which positions are seen."""
        self.rules = sorted({*start_rules, *data.rules()})
        """Learned by now or before."""
        self.revision = revision()

    @property
    def progress(self) -> float:
        """0 at the start, 1 at the end of the run."""
        limits = ((self.step, self.recipe.steps), (self.seconds, 60 * self.recipe.minutes))
        return min(1.0, max(done / limit for done, limit in limits if limit))

    def rate(self) -> float:
        warm = min(1.0, (self.step + 1) / max(1, self.recipe.warm_up))
        return self.recipe.rate * warm * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * self.progress)))

    def one_step(self, batch: Batch, inputs: tuple[Any, ...]) -> dict[str, float]:
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate()
        policy_loss, value_loss, numbers = losses(*apply(self.network, inputs), batch)
        self.optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(policy_loss + self.recipe.value_share * value_loss)
        gradient = nn.utils.clip_grad_norm_(self.network.parameters(), 1.0).item()
        if not math.isfinite(gradient):
            raise LearnError(f"the gradient of step {self.step + 1} is {gradient}: try a lower --rate; "
                             f"{self.folder / CHECKPOINT} is of an earlier step")  # fmt: skip
        self.optimiser.step()
        self.step += 1
        share = max(1 - self.recipe.average, 1 / (self.step + 1))
        with torch.no_grad():
            torch._foreach_lerp_([*self.average.parameters()], [*self.network.parameters()], share)
        return numbers

    def begin_with(self, network: nn.Module) -> None:
        """Starts from given weights instead of random ones."""
        self.network.load_state_dict(network.state_dict())
        self.average.load_state_dict(network.state_dict())

    def state(self) -> dict[str, Any]:
        return {
            "format": CHECKPOINT_FORMAT,
            "shape": self.shape.as_dict(),
            "recipe": asdict(self.recipe),
            "start": self.start,
            "rules": self.rules,
            "revision": self.revision,
            **self.seen,
            "step": self.step,
            "seconds": self.seconds,
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "curve": self.curve.rows,
        }

    def save(self, keep: bool = False) -> None:
        """Replaces the checkpoint in one step: a kill or a full disk leaves the one before. `keep`: one of its own."""
        with replacing(self.folder / CHECKPOINT) as part:
            torch.save(self.state(), part)
        if keep:
            with replacing(kept_checkpoint(self.folder, self.step)) as part:
                shutil.copyfile(self.folder / CHECKPOINT, part)
        # Drawing takes seconds: every fifth time, and at the end.
        self.curve.write(self.folder, picture=self.progress >= 1 or len(self.curve.rows) % 5 == 0)

    def resume(self) -> bool:
        """Takes up the folder's checkpoint, if there is one. The recipe may have a later end, nothing else."""
        path = self.folder / CHECKPOINT
        if not path.exists():
            return False
        state = load_checkpoint(path)
        if state["shape"] != self.shape.as_dict():
            raise LearnError(f"{path}: the checkpoint has another network: {state['shape']}")
        recipe = {**state["recipe"], **{name: getattr(self.recipe, name) for name in ("steps", "minutes")}}
        if recipe != asdict(self.recipe):
            raise LearnError(f"{path}: the checkpoint has another recipe: {state['recipe']}")
        if state["start"] != self.start:
            begun = origin(state["start"])
            raise LearnError(f"{path}: the checkpoint began with {begun}, not with {origin(self.start)}")
        for name, mine in self.seen.items():
            if state[name] != mine:
                raise LearnError(f"{path}: the checkpoint has other {name}: {state[name]}")
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.seconds = state["step"], state["seconds"]
        self.curve.rows = state["curve"]
        return True

    def run(
        self, save_every: int = 500, check_every: int = 500, report: Report = print, stop_at: int | None = None,
        keep_every: int = 0,
    ) -> None:  # fmt: skip
        """Trains to the end of the recipe, or to step `stop_at`. A checkpoint of each `keep_every` steps is kept."""
        bar = Progress(self.step * self.recipe.batch, report)
        means: dict[str, float] = {}
        last = time.monotonic()
        with Feeder(self.data, self.sampling, self.recipe, self.inputs, self.step) as feeder:
            while self.progress < 1 and self.step != stop_at:
                batch, inputs = feeder.next()
                numbers = self.one_step(batch, inputs)
                numbers["game_length"] = batch.game_length
                now = time.monotonic()
                self.seconds += now - last
                last = now
                for key, value in numbers.items():
                    means[key] = means.get(key, value) * 0.98 + value * 0.02
                bar.show(self.step, self.progress, self.step * self.recipe.batch, means)
                if self.step % check_every == 0 or self.progress >= 1:
                    found = validate(self.average, self.data, self.inputs)
                    self.curve.add({"step": self.step, "seconds": self.seconds, "rate": self.rate(), **means, **found})
                    report(f"step {self.step}: " + "  ".join(
                        f"{key} {value:.3f}" for key, value in found.items() if key.endswith(".top1")
                    ))
                keep = keep_every > 0 and self.step % keep_every == 0
                if keep or self.step % save_every == 0 or self.progress >= 1:
                    self.save(keep)


def kept_checkpoint(folder: Path, step: int) -> Path:
    """The checkpoint that a run has kept of one of its steps."""
    return folder / f"checkpoint-{step}.pt"


def origin(start: str) -> str:
    """The start of a run in words, from its checkpoint's `start`."""
    return f"network {start}" if start else "random weights"


def load_checkpoint(path: Path) -> dict[str, Any]:
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError as error:
        raise LearnError(f"{path}: no checkpoint; make one with `python -m training learn`") from error
    except Exception as error:  # a damaged pickle raises whatever its bytes ask for
        raise LearnError(f"{path}: damaged checkpoint: {error}") from error
    if not isinstance(state, dict) or state.get("format") != CHECKPOINT_FORMAT:
        raise LearnError(f"{path}: not a checkpoint of this version")
    return state
