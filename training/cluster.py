"""Self-play on a Ray cluster: the tasks of worker processes, on machines that come and go.

A game depends on its network, settings and number only, so a node that is lost costs nothing but time: what it was
playing is played again elsewhere.
"""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Generator, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from brain import weights
from training.selfplay import Settings, play_line
from training.workers import AHEAD, WorkerError

WITHOUT_END = -1
"""How often a task is tried again whose node was lost. What a task raises is raised at once."""
ANSWER_S = 10.0
"""A cluster's machine says that it is there within this time."""
_unpacked: dict[str, tempfile.TemporaryDirectory[str]] = {}


def cluster_lines(tasks: Iterable[tuple[Settings, int]], address: str) -> Generator[str]:
    """Games as lines, in the order they end; each node reads the network from the driver, not from its own disk."""
    import ray
    from ray.exceptions import RayError

    todo = iter(tasks)
    networks: dict[str, Any] = {}
    waiting: list[Any] = []
    try:
        reach(address)
        ray.init(address=address, runtime_env={"env_vars": {"OMP_NUM_THREADS": "1"}}, log_to_driver=False)
        remote = ray.remote(num_cpus=1, max_retries=WITHOUT_END)(play_remotely)
        while True:
            slots = max(1, int(ray.cluster_resources().get("CPU", 1)))  # nodes come and go
            while len(waiting) < AHEAD * slots and (task := next(todo, None)) is not None:
                settings, number = task
                if settings.network not in networks:
                    networks = {settings.network: ray.put(network_bytes(settings.network))}
                waiting.append(remote.remote(settings, number, networks[settings.network]))
            if not waiting:
                return
            done, waiting = ray.wait(waiting)
            yield from ray.get(done)
    except (RayError, ConnectionError) as error:
        raise WorkerError(f"the Ray cluster at {address} failed: {getattr(error, 'cause', error)}") from error
    finally:
        ray.shutdown()


def reach(address: str) -> None:
    """ConnectionError where nobody listens at HOST:PORT: Ray itself goes on trying for a quarter of an hour."""
    host, colon, port = address.rpartition("/")[2].rpartition(":")
    if colon and port.isdigit():
        try:
            socket.create_connection((host, int(port)), ANSWER_S).close()
        except OSError as error:
            raise ConnectionError(f"nobody answers there: {error}") from error


def network_bytes(network: str) -> dict[str, bytes]:
    """The file of a network by its name, to be sent to other machines; empty without one."""
    if not network:
        return {}
    file = weights.find(Path(network))
    return {file.name: file.read_bytes()}


def play_remotely(settings: Settings, number: int, files: dict[str, bytes]) -> str:
    """`play_line` on a Ray worker, which unpacks a network's file for itself; each rule reads it anew."""
    if not files:
        return play_line((settings, number))
    ((name, content),) = files.items()
    if name not in _unpacked:
        _unpacked.clear()
        _unpacked[name] = tempfile.TemporaryDirectory()
        (Path(_unpacked[name].name) / name).write_bytes(content)
    return play_line((replace(settings, network=str(Path(_unpacked[name].name) / name)), number))
