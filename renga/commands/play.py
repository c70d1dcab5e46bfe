"""`renga play`: a game in the terminal, for those without a window."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from renga.board import Board
from renga.engine import Engine
from renga.files import write_game
from renga.game import Game
from renga.levels import LEVELS, level
from renga.notation import RULES, read_size
from renga.records import Limit

HELP = "Type a move (h8), or: undo, hint, board, save FILE, resign, quit"
SECONDS = 2.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rule", default="freestyle", help=f"one of {', '.join(RULES)} (default: freestyle)")
    parser.add_argument("--size", default="15", help="15, or 20x15 for 20 columns and 15 rows (default: 15)")
    parser.add_argument("--colour", choices=["black", "white"], default="black", help="yours (default: black)")
    parser.add_argument("--level", type=int, help=f"of the opponent, 1 to {len(LEVELS)} (default: the highest)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"for a move of the highest level ({SECONDS:g})")
    parser.add_argument("--seed", type=int, help="for a game that can be repeated: what lower levels leave to chance")
    parser.add_argument("--json", action="store_true", help="an event a line, as JSON, instead of text")


def run(options: argparse.Namespace) -> int:
    """0 when the game is over, or when the player has left it."""
    width, height = read_size(options.size)
    board = Board(width, height, rule=options.rule)
    limit = Limit(seconds=options.seconds)
    strength = level(len(LEVELS) if options.level is None else options.level)
    with Engine(seed=options.seed) as engine:
        _Match(board, engine, strength.number, limit, options.colour, options.json).play()
    return 0


class _Match:
    def __init__(self, board: Board, engine: Engine, level: int, limit: Limit, human: str, as_json: bool) -> None:
        self._board, self._engine, self._level, self._limit = board, engine, level, limit
        self._human, self._as_json = human, as_json

    def play(self) -> None:
        self._tell("start", HELP, rule=self._board.rule, size=[self._board.width, self._board.height])
        self._show()
        while not self._board.is_over:
            if self._board.turn != self._human:
                self._reply()
            elif not self._ask():
                return
        winner = self._board.winner
        self._tell("over", f"{winner} wins" if winner else "a draw", winner=winner)

    def _reply(self) -> None:
        move = self._board.play(self._engine.play(self._board, self._limit, self._level))
        self._tell("move", f"Renga plays {move}", by="renga", move=str(move))
        self._show()

    def _ask(self) -> bool:
        """One line of the player's; False if it ends the game."""
        if not self._as_json:
            print(f"{self._board.turn}> ", end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            return False
        command, _, argument = line.strip().partition(" ")
        try:
            return self._obey(command.lower(), argument.strip())
        except (ValueError, OSError) as error:
            self._tell("error", str(error), message=str(error))
        return True

    def _obey(self, command: str, argument: str) -> bool:
        if command in ("quit", "exit"):
            return False
        if command == "resign":
            self._tell("over", f"{self._human} resigns", winner="white" if self._human == "black" else "black")
            return False
        if command == "undo":
            # Two stones: the reply, and the move that it answered.
            for _ in range(min(2, len(self._board.moves))):
                self._board.undo()
            self._show()
        elif command == "hint":
            best = self._engine.analyse(self._board, self._limit).best
            self._tell("hint", str(best), move=str(best.move), win_rate=best.win_rate, mate=best.mate)
        elif command == "save":
            write_game(Game.from_board(self._board), argument)
            self._tell("saved", f"saved as {argument}", file=argument)
        elif command == "board":
            self._tell("board", str(self._board), code=self._board.code)
        elif command in ("help", "?", ""):
            self._tell("help", HELP)
        else:
            move = self._board.play(command)
            self._tell("move", "", by="you", move=str(move))
        return True

    def _show(self) -> None:
        if not self._as_json:
            print(self._board, flush=True)

    def _tell(self, event: str, text: str, **facts: Any) -> None:
        if self._as_json:
            print(json.dumps({"event": event, **facts}), flush=True)
        elif text:
            print(text, flush=True)
