from typing import NamedTuple

class Proof(NamedTuple):
    """Play `move`; after a reply in `replies` go on there, after any other play the VCF line `threat`."""

    move: int
    replies: dict[int, Proof]
    threat: list[int]
    plies: int  # to the five at the latest
