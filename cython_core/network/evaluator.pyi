"""What all evaluators have in common: being prepared for a rule, and answering a single question from Python."""

from cython_core.rules.position import Board

class Evaluator:
    """Something that evaluates positions. One object serves any number of searches and threads."""

    @property
    def prepared_rule(self) -> int | None: ...
    @property
    def bytes(self) -> int: ...
    def evaluate(self, board: Board) -> tuple[list[float], tuple[float, float, float]]: ...
