"""Three real managers, emulated: each referees whole games between two copies of a brain, the way it does it."""

from protocol_tests.managers.game import Game, Limits

__all__ = ["Game", "Limits"]
