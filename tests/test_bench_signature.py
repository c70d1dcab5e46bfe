"""The stored fingerprint is the present behaviour: a change must be a conscious edit of signature.txt."""

from bench.signature import compute, fold, read_stored


def test_the_signature_in_the_tree_is_the_behaviour_of_the_core() -> None:
    assert compute() == read_stored(), "run `python -m bench signature --write` if the change is meant"


def test_the_fold_depends_on_order_and_on_every_bit() -> None:
    assert fold(iter([1, 2])) != fold(iter([2, 1]))
    assert fold(iter([1 << 63])) != fold(iter([0]))
    assert fold(iter([-1])) != fold(iter([1]))
