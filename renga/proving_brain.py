"""`renga brain --proofs FOLDER`: the brain for managers, and a certificate of every end that it has proven.

A certificate takes longer than the move that it belongs to, so this is for analysis, not for games against the clock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cython_core as core
from brain.clock import Timer
from brain.network import Network
from brain.records import Analysis, OnUpdate, Request
from brain.thinker import Thinker
from renga.certificate import SIDES
from renga.prove import certificate_of

OPTION = "--proofs"


class ProvingThinker(Thinker):
    """Writes the certificate of a proven win or loss to a folder, and says where. What cannot be certified is not
    claimed in the answer."""

    def __init__(self, say: Callable[[str], None], network: Network, folder: Path) -> None:
        super().__init__(say, network=network)
        self._tell, self._folder = say, folder

    def analyse(self, request: Request, timer: Timer | None = None, on_update: OnUpdate | None = None) -> Analysis:
        found = super().analyse(request, timer, on_update)
        if not found.best.proof or request.board.winner != core.EMPTY:
            return found
        best, board = found.best, request.board
        certificate = certificate_of(board, best.proof, self.tree, self.solution)
        if certificate is None:
            return replace(found, lines=(replace(best, proof=None), *found.lines[1:]))
        winner = SIDES[board.side if (best.proof or 0) > 0 else 1 - board.side]
        path = self._folder / f"{board.ply:03}-{winner}-wins-within-{certificate.plies}-{board.key:016x}.proof.gz"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            certificate.write(path)
            self._tell(f"proof: {path.name}, {winner} wins within {certificate.plies} plies")
        except OSError as error:
            self._tell(f"proof not written: {error}")
        plies = certificate.plies if (best.proof or 0) > 0 else -certificate.plies
        return replace(found, lines=(replace(best, proof=plies), *found.lines[1:]))


def folder_of(arguments: list[str]) -> Path:
    """Where the certificates go. ValueError without a name."""
    at = arguments.index(OPTION) + 1
    if at == len(arguments) or arguments[at].startswith("--"):
        raise ValueError(f"{OPTION} needs the name of a folder")
    return Path(arguments[at])
