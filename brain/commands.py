"""What each command does: protocol on the left, engine on the right; and how a decision answers it.

Owns no state. What a command means for a running search is `loop`'s.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from brain import __version__, protocol, yixin

if TYPE_CHECKING:
    from brain.engine import Engine
    from brain.records import Decision, Request


def execute(command: protocol.Command, engine: Engine, at: float) -> list[str] | Request | None:
    """The lines of the answer, none where there is no answer, or the request that has to be decided first.

    `at` is when the command was read. ProtocolError where it cannot be obeyed.
    """
    match command:
        case protocol.Info(key, value):
            engine.inform(key, value)
        case protocol.About():
            return [protocol.about(__version__)]
        case protocol.Start(width, height):
            engine.start(width, height)
            return [protocol.OK]
        case protocol.Restart():
            engine.restart()
            return [protocol.OK]
        case protocol.Begin():
            return engine.begin(at)
        case protocol.Turn(x, y):
            return engine.turn(x, y, at)
        case protocol.Board(stones, bad, answer=True):
            return engine.board(stones, bad, at)
        case protocol.Board(stones, bad):
            engine.set_position(stones, bad)
        case protocol.Swap2Board(stones, bad):
            return engine.swap2(stones, bad, at)
        case protocol.NBest(count):
            return engine.best(count, at)
        case protocol.Play(x, y):
            return [protocol.move(engine.play(x, y))]
        case protocol.Takeback(x, y):
            engine.take_back(x, y)
            return [protocol.OK]
        case protocol.ShowInfo():
            engine.notice("yxshowinfo")
            return protocol.capabilities(os.cpu_count() or 1, engine.settings.memory >> 10)
        case protocol.ShowForbid():
            return [protocol.forbid(engine.fouls())]
        case protocol.HashClear():
            engine.forget()
        case yixin.Balance(moves, bias):
            return engine.balance(moves, bias, at)
        case yixin.SearchDefend():
            return engine.defend(at)
        case yixin.Block(cells, undo, path):
            engine.block(cells, undo, path)
        case yixin.BlockReset(path):
            engine.blocks.reset_paths() if path else engine.blocks.reset()
        case yixin.Swap2Step(step):
            return engine.swap2_step(step, at)
        case yixin.SoosorvStep(step, cells, count):
            return engine.soosorv_step(step, cells, count, at)
        case yixin.ShowHashUsage():
            return [protocol.message(f"the search tree is {100 * engine.thinker.fullness:.1f}% full")]
        case yixin.Database() | yixin.File():
            from brain import desk  # few games have a database

            return desk.answer(command, engine)
        case yixin.TreeFile(verb, path):
            from brain import tree_file

            return tree_file.answer(verb, path, engine)
        case yixin.Draw():
            from brain import remarks

            return remarks.draw(engine)
        case yixin.Features():
            from brain import remarks

            return remarks.features(engine)
        case yixin.Told(text):
            return [protocol.message(text)]
        case yixin.Bad(reason):
            return [protocol.error(reason)]
        case protocol.Unknown(text):
            return [protocol.unknown(text)]
    return None


def reply(decision: Decision, command: protocol.Command) -> list[str]:
    """The answer to a command that took a decision."""
    match command:
        case yixin.Swap2Step(step):
            return yixin.swap2_step(step, decision.moves, decision.swap)
        case yixin.SoosorvStep(step):
            return yixin.soosorv_step(step, decision.moves, decision.swap, decision.count)
    return [protocol.SWAP if decision.swap else protocol.moves(decision.moves)]
