"""training.selfplay on a Ray cluster of two nodes on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from networks import write_network

from training.games import read_games
from training.selfplay import Settings, selfplay

pytest.importorskip("ray", reason="Ray (extra `ray`) is not installed")


@pytest.mark.full
def test_self_play_runs_on_two_nodes(tmp_path: Path) -> None:
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        cluster.add_node(num_cpus=1)
        network = write_network(tmp_path / "tiny.onnx")
        settings = Settings(network=str(network), simulations=8, cheap=4, sizes=(6,), rules=(0, 4))
        path = tmp_path / "selfplay.txt"
        assert selfplay(settings, path, 4, 1, cluster.address, lambda text: None) == 4
        assert {game.tags["seed"] for game in read_games(path)} == {"0", "1", "2", "3"}
    finally:
        cluster.shutdown()
