"""training.cluster: self-play on a Ray cluster of two nodes on this machine, one of which is lost."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from networks import write_network

from training.games import read_games
from training.gatherer import Gatherer
from training.selfplay import Settings, finished_games, selfplay
from training.window import segments
from training.workers import WorkerError

pytest.importorskip("ray", reason="Ray (extra `ray`) is not installed")


@pytest.fixture
def cluster() -> Iterator[Any]:
    """The head; tests add the other node."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    yield made
    made.shutdown()


@pytest.mark.full
def test_self_play_runs_on_two_nodes(tmp_path: Path, cluster: Any) -> None:
    cluster.add_node(num_cpus=1)
    network = write_network(tmp_path / "tiny.onnx")
    settings = Settings(network=str(network), simulations=8, cheap=4, sizes=(6,), rules=(0, 4))
    path = tmp_path / "selfplay.txt"
    assert selfplay(settings, path, 4, 1, cluster.address, lambda text: None) == 4
    assert {game.tags["seed"] for game in read_games(path)} == {"0", "1", "2", "3"}


@pytest.mark.full
def test_a_node_that_is_lost_in_mid_game_costs_no_game(tmp_path: Path, cluster: Any) -> None:
    node = cluster.add_node(num_cpus=2)
    first, second = (write_network(tmp_path / f"{seed}.onnx", seed) for seed in (1, 2))
    settings = Settings(network=str(first), simulations=24, cheap=24, sizes=(7,), rules=(0,))
    with Gatherer(tmp_path, settings, 1, cluster.address) as games:
        assert games.wait_for(3, 600), "both nodes have games under way"
        cluster.remove_node(node, allow_graceful=False)
        games.use(second)
        count = games.games
        assert games.wait_for(count + 8, 600)
        games.check()
    found = set().union(*(finished_games(path) for path in segments(tmp_path)))
    assert len(found) >= count + 8 and found == set(range(max(found) + 1)), "what the node was playing was played again"


@pytest.mark.full
def test_a_cluster_that_is_not_there_is_named(tmp_path: Path) -> None:
    begin = time.monotonic()
    with pytest.raises(WorkerError, match=r"the Ray cluster at 127\.0\.0\.1:1 failed: nobody answers there: "):
        selfplay(Settings(network=""), tmp_path / "selfplay.txt", 1, 1, "127.0.0.1:1", lambda text: None)
    assert time.monotonic() - begin < 30
