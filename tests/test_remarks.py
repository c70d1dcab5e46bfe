"""Draws, resignations and features: what is said to people between moves."""

from __future__ import annotations

from conversation import Patient, Scripted, answer, talking

from brain.records import Analysis, Line, Request
from brain.thinker import Thinker


class Sure(Scripted):
    """Has one opinion of every position."""

    value = 0.4

    def analyse(self, request: Request, *arguments: object) -> Analysis:  # type: ignore[override]
        return Analysis((Line(request.board.legal_cells()[0], self.value, 0.2, visits=1),), 1, 0.0)


class Hopeful(Sure):
    value = 0.7


def test_a_draw_is_taken_where_no_more_is_expected() -> None:
    for thinker, told in (
        (Sure, "MESSAGE DRAW ACCEPT | Win 30.0% Draw 20.0% Loss 50.0%"),
        (Hopeful, "MESSAGE DRAW REJECT | Win 60.0% Draw 20.0% Loss 20.0%"),
    ):
        with talking(thinker) as manager:
            unknown = ["MESSAGE DRAW REJECT | no move of this game has been thought about yet"]
            assert answer(manager, "yxdraw") == unknown
            manager.say("BOARD 7,7,1 8,8,2 DONE")
            assert manager.reply() == "0,0"
            assert answer(manager, "YXDRAW") == [told]
            manager.say("TURN 14,14")
            assert manager.reply() == "1,0"
            assert answer(manager, "YXDRAW") == [told]
            manager.say("START 15")
            assert manager.reply() == "OK"
            assert answer(manager, "yxdraw") == unknown
            manager.say("END")


def test_a_draw_is_judged_in_the_eyes_of_whoever_made_the_move() -> None:
    """With moves ruled out the last search is of the opponent's answer; in swap2 it may be of the colour not taken."""
    with talking(Thinker) as manager:
        manager.say("INFO max_node 300", "YXBLOCK 0,14 DONE", "BOARD 7,7,1 0,0,2 8,7,1 0,2,2 DONE")
        assert manager.reply() is not None
        (told,) = answer(manager, "yxdraw")
        assert told.startswith("MESSAGE DRAW REJECT | Win ") and float(told.split()[5][:-1]) > 50
        manager.say("SWAP2BOARD 7,7 0,0 8,8 DONE")
        assert manager.reply() == "SWAP"
        assert answer(manager, "yxdraw") == ["MESSAGE DRAW REJECT | no move of this game has been thought about yet"]
        manager.say("END")


def test_an_offer_waits_for_the_move_that_is_due() -> None:
    with talking(Patient) as manager:
        manager.say("BOARD 7,7,1 8,8,2 DONE", "yxdraw")
        assert manager.silent()
        manager.say("STOP")
        assert manager.reply() == "0,0"
        assert str(manager.raw()).startswith("MESSAGE DRAW")
        manager.say("END")


def test_a_resignation_is_taken_and_ends_no_search() -> None:
    with talking(Patient) as manager:
        assert answer(manager, "yxresign")[0].startswith("MESSAGE RESIGN ACCEPT")
        manager.say("BOARD 7,7,1 8,8,2 DONE", "yxresign", "STOP")
        assert manager.reply() == "0,0"
        manager.say("END")


def test_features_are_what_either_side_can_make_and_what_the_network_says() -> None:
    with talking(Thinker) as manager:
        manager.say("INFO rule 4", "YXBOARD 7,7,1 0,0,2 7,8,1 0,1,2 9,6,1 0,2,2 8,6,1 0,3,2 DONE")
        black, white, fouls, network = answer(manager, "yxprintfeature")
        assert black.startswith("MESSAGE black can make: ") and "open three" in black
        assert white == "MESSAGE white can make: five A11; four A10"
        assert fouls == "MESSAGE forbidden to black: H9"
        assert network.startswith("MESSAGE network for the side to move: Win ") and "A11 " in network
        manager.say("INFO coordinates numbers")
        assert answer(manager, "yxprintfeature")[2] == "MESSAGE forbidden to black: 7,6"
        manager.say("END")


def test_a_finished_game_has_shapes_and_no_opinion() -> None:
    with talking(Thinker) as manager:
        manager.say("YXBOARD 1,1,1 0,0,2 2,2,1 0,1,2 3,3,1 0,2,2 4,4,1 0,3,2 5,5,1 DONE")
        assert len(answer(manager, "yxprintfeature")) >= 2
        assert not any("network" in line for line in answer(manager, "yxprintfeature"))
        manager.say("END")
