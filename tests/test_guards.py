"""The loop guard and the reminders, by themselves."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from tools.card import Lack
from tools.guards import MODEL_CALLS_MAX, REMINDERS_EACH, ConversationOver, LoopGuard, Reminders, canonical


def turn(guard: LoopGuard, *calls: tuple[str, dict[str, object], bool, bool]) -> list[str]:
    """One turn: (tool, arguments, whether it goes well, whether it writes); what was refused without a try."""
    guard.next_turn()
    refused = []
    for tool, arguments, ok, writes in calls:
        verdict = guard.refusal(tool, arguments, writes=writes)
        refused.append(verdict)
        guard.note(tool, arguments, ok=ok and not verdict, writes=writes)
    return refused


def test_a_write_that_went_well_is_refused_the_second_time_and_a_read_is_not() -> None:
    guard = LoopGuard()
    assert turn(guard, ("add", {"a": "x"}, True, True)) == [""]
    assert turn(guard, ("add", {"a": " X. "}, True, True)) == ["repeated"]
    assert turn(guard, ("read", {}, True, False), ("read", {}, True, False)) == ["", ""]


def test_the_same_failure_is_not_tried_a_third_time_in_one_message_or_in_several() -> None:
    failing = ("add", {"a": "x", "b": ["1", "2"]}, False, True)
    guard = LoopGuard()
    assert [turn(guard, failing)[0] for _ in range(3)] == ["", "", "failed_twice"]
    assert turn(LoopGuard(), failing, failing, failing) == ["", "", "failed_twice"]


def test_what_failed_before_may_be_tried_again_after_a_write() -> None:
    guard = LoopGuard()
    failing = ("add", {"a": "x"}, False, True)
    turn(guard, failing, failing)
    turn(guard, ("create", {"t": "y"}, True, True))
    assert turn(guard, ("add", {"a": "x"}, True, True)) == [""]


def _turns_until_over(guard: LoopGuard, one: Callable[[int], object]) -> int:
    for n in itertools.count():
        try:
            one(n)
        except ConversationOver:
            return n
    raise AssertionError


@pytest.mark.parametrize("period", [1, 2, 3])
def test_a_cycle_ends_the_conversation(period: int) -> None:
    guard = LoopGuard()
    assert _turns_until_over(guard, lambda n: turn(guard, ("read", {"n": n % period}, True, False))) <= period + 4


@pytest.mark.parametrize("ok", [True, False])
def test_drifting_arguments_end_the_conversation(ok: bool) -> None:
    guard = LoopGuard()
    assert _turns_until_over(guard, lambda n: turn(guard, ("read", {"n": n}, ok, False))) < MODEL_CALLS_MAX


def test_writes_that_go_well_use_up_the_calls_and_no_more() -> None:
    guard = LoopGuard()
    for n in range(MODEL_CALLS_MAX):
        turn(guard, ("add", {"n": n}, True, True))
    with pytest.raises(ConversationOver, match=str(MODEL_CALLS_MAX)):
        guard.next_turn()


def test_turns_without_a_call_are_no_stall() -> None:
    guard = LoopGuard()
    for _ in range(MODEL_CALLS_MAX):
        guard.next_turn()
    with pytest.raises(ConversationOver, match=f"asked {MODEL_CALLS_MAX} times"):  # not that it repeats itself
        guard.next_turn()


@pytest.mark.parametrize(
    "same",
    [
        {"title": "PREPARAÇÃO ", "items": ["a", "B"]},
        {"items": ["A.", "b"], "title": "preparacao"},
        {"title": "Preparação", "items": ["a", "b"], "card_id": ""},
        {"title": "Preparação", "items": ["a", "b"], "due": None},
    ],
)
def test_calls_that_mean_the_same_have_one_form(same: dict[str, object]) -> None:
    assert canonical("add", same) == canonical("add", {"title": "Preparação", "items": ["a", "b"]})


@pytest.mark.parametrize("other", [{"title": "a b"}, {"title": "ab", "items": ["x"]}, {"desc": "ab"}])
def test_calls_that_differ_have_several(other: dict[str, object]) -> None:
    assert canonical("add", other) != canonical("add", {"title": "ab"})


def test_each_thing_is_reminded_of_twice() -> None:
    reminders = Reminders()
    parts, lists = Lack("desc_parts", must=True), Lack("checklists_missing", must=True)
    assert reminders.due([parts]) == [parts]
    assert reminders.due([parts, lists]) == [parts, lists]
    assert REMINDERS_EACH == 2
    assert reminders.due([parts, lists]) == [lists]
    assert reminders.due([parts, lists]) == []
