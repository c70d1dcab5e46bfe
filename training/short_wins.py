"""Freestyle wins by a bounded number of fours, exactly: the core's solver finds a win soon, not always the shortest."""

from __future__ import annotations

from cython_core import CLASS_DOUBLE_FOUR, CLASS_FIVE, CLASS_FOUR, CLASS_FOUR_THREE, CLASS_OPEN_FOUR, Board, solve_vcf

VCF_NODES = 1000
"""Stones that the solver may place at every step: it ends most searches at once, and never decides a doubtful one."""
FOURS = (CLASS_FOUR, CLASS_FOUR_THREE, CLASS_DOUBLE_FOUR, CLASS_OPEN_FOUR)

Lost = dict[int, int]
"""Key of a position -> the number of fours within which there is no win."""


def starts_win(board: Board, move: int, fours: int) -> bool:
    """Does a win by at most `fours` fours begin with this legal move of the side to move? The board is as before."""
    attacker = board.side
    board.play(move)
    won = board.winner == attacker or after_four(board, attacker, fours, {})
    board.undo()
    return won


def after_four(board: Board, attacker: int, fours: int, lost: Lost) -> bool:
    """Was the attacker's last move the first of at most `fours` fours that win?"""
    fives = board.cells(attacker, CLASS_FIVE)
    if not fives or board.count(1 - attacker, CLASS_FIVE):
        return False
    if len(fives) > 1 or fours <= 1:
        return len(fives) > 1 and fours >= 1
    board.play(fives[0])
    won = wins_within(board, attacker, fours - 1, lost)
    board.undo()
    return won


def wins_within(board: Board, attacker: int, fours: int, lost: Lost) -> bool:
    """Can the attacker, whose turn it is, win by at most `fours` fours?"""
    if lost.get(board.key, 0) >= fours:
        return False
    found = solve_vcf(board, attacker, VCF_NODES)
    if found.status == "win" and (len(found.line) + 1) // 2 <= fours:
        return True
    if found.status != "none":
        stops = board.cells(1 - attacker, CLASS_FIVE)
        for cell in [cell for kind in FOURS for cell in board.cells(attacker, kind)]:
            if stops and stops != [cell]:
                continue
            board.play(cell)
            won = after_four(board, attacker, fours, lost)
            board.undo()
            if won:
                return True
    lost[board.key] = fours
    return False
