"""Finds and checks network files, in the source tree, a wheel or the executable: the only module that knows paths.

A network is three ONNX files beside each other, exports of one training run:

    renga.onnx         the whole network: planes -> policy, value
    renga-line.onnx    windows -> line features, run once to fill the tables
    renga-trunk.onnx   summed line features -> policy, value
    renga.md           model card; its `sha256` lines are checked when it is there, its `answer` lines by --selftest
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

DEFAULT_NAME = "renga.onnx"
FORMAT = "1"
"""Layout of the exported files: tells our networks from foreign ones, and from those of other versions."""


class WeightsError(Exception):
    """There is no usable network; the text is one sentence for the user and names the file."""


@dataclass(frozen=True)
class NetworkFiles:
    full: Path
    line: Path
    trunk: Path
    card: Path


def weights_folder() -> Path:
    """Where the shipped networks are: never relative to the working directory, which belongs to the manager."""
    bundle = getattr(sys, "_MEIPASS", None)
    if bundle is not None:
        return Path(bundle) / "weights"
    return Path(__file__).resolve().parent.parent / "weights"


def find(path: Path | None = None) -> NetworkFiles:
    """The files of the network whose full graph is `path`, or of the shipped one; WeightsError if one is missing."""
    full = weights_folder() / DEFAULT_NAME if path is None else path
    if full.suffix != ".onnx":
        raise WeightsError(f"network {full} is not an .onnx file")
    line, trunk = (full.with_name(f"{full.stem}-{part}.onnx") for part in ("line", "trunk"))
    files = NetworkFiles(full, line, trunk, full.with_suffix(".md"))
    for file in (files.full, files.line, files.trunk):
        with reading(file):
            if not file.is_file():
                raise WeightsError(f"network file {file} is missing")
    return files


def check(files: NetworkFiles) -> None:
    """Compares the files with the checksums of the model card; a network without a card passes."""
    expected = card_checksums(files.card)
    for file in (files.full, files.line, files.trunk):
        wanted = expected.get(file.name)
        if wanted is not None and sha256(file) != wanted:
            raise WeightsError(f"network file {file} is damaged: its sha256 is not the one in {files.card.name}")


def card_checksums(card: Path) -> dict[str, str]:
    """File name -> sha256 from the lines `sha256 <name> <hex>` of a model card."""
    return {name: digest for name, digest in card_lines(card, "sha256", 2)}


def card_answers(card: Path) -> list[tuple[float, float, float]]:
    """What the whole network said when it was exported, from the lines `answer <win> <draw> <loss>`: of the positions
    of brain.selftest, in order."""
    with using(card):
        return [(float(win), float(draw), float(loss)) for win, draw, loss in card_lines(card, "answer", 3)]


def card_lines(card: Path, word: str, count: int) -> list[list[str]]:
    """The `count` words after `word`, of every line of a card that begins so."""
    with reading(card):
        if not card.is_file():
            return []
        text = card.read_text(encoding="utf-8", errors="replace")
    lines = (line.split() for line in text.splitlines())
    return [words[1:] for words in lines if len(words) == 1 + count and words[0] == word]


def sha256(path: Path) -> str:
    with reading(path):
        return hashlib.sha256(path.read_bytes()).hexdigest()


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """A folder that may not be looked into or a file that cannot be read is a WeightsError that names the file."""
    try:
        yield
    except OSError as error:
        raise WeightsError(f"network file {path} cannot be read: {error.strerror}") from error


@contextmanager
def using(path: Path) -> Iterator[None]:
    """Whatever goes wrong with a network file in the block, memory included, is a WeightsError that names it."""
    try:
        yield
    except WeightsError:
        raise
    except Exception as error:  # onnxruntime raises a family of its own without a common base
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise WeightsError(f"network file {path} cannot be used: {reason}") from error
