"""What the notebooks of the four tiers show of each shift."""

import pytest

from openagent_lib.errors import ConfigError
from openagent_lib.pipeline.tier_page import TierPage
from openagent_lib.report.style import shift_label
from openagent_lib.sandbox.task import CLEAN
from openagent_lib.shifts.catalogue import SHIFTS
from openagent_lib.shifts.shift import TIERS


@pytest.fixture(scope="module", params=TIERS)
def page(request: pytest.FixtureRequest) -> TierPage:
    return TierPage(request.param)


def test_a_page_holds_every_shift_of_its_tier(page: TierPage) -> None:
    assert set(page.shifts.values()) <= set(SHIFTS.values())
    assert sum(len(TierPage(tier).shifts) for tier in TIERS) == len(SHIFTS)


def test_an_example_is_a_clean_task_and_its_twin(page: TierPage) -> None:
    for kind, shift in page.shifts.items():
        task, twin = page.example(kind)
        assert task.shift == CLEAN and task in page.tasks
        assert twin.shift == shift.name and twin.base_id == task.id


def test_a_card_shows_definition_expectation_source_both_tasks_and_both_agents(page: TierPage) -> None:
    for kind, shift in page.shifts.items():
        card = page.card(kind)
        task, _ = page.example(kind)
        assert f"`{kind}`" in card and shift.expected in card and shift.strength_meaning in card
        assert "| source | Paper: " in card
        assert "clean " in card and f"{shift.name} at 1" in card and str(task.gold_answer) in card
        assert "frozen agent" in card and "oracle\n" in card
        assert f"{shift.name}: {'correct' if shift.is_solvable else 'refused'}" in card, (
            "the oracle does the right thing"
        )


def test_pools_show_patterns_of_both_pools_in_short_lines(page: TierPage) -> None:
    lines = page.pools().splitlines()
    assert max(map(len, lines)) <= 80
    for kind in page.shifts:
        for pool in ("train", "test"):
            at = next(number for number, line in enumerate(lines) if line.startswith(f"{kind}, {pool} pool of "))
            assert lines[at + 1].startswith("    ")


def test_the_table_has_one_row_per_shift_with_intervals_and_paired_changes(page: TierPage) -> None:
    head, _, *rows = page.table().splitlines()
    assert head == "| shift | metric | n | oracle | frozen | refuser | Δ oracle | Δ frozen | Δ refuser |"
    assert [row.split(" | ")[0] for row in rows] == ["| clean", *(f"| {kind}" for kind in page.shifts)]
    assert all("100 [" in row for row in rows)


def test_the_dose_is_a_figure_with_a_line_per_shift() -> None:
    page = TierPage("reasoning")
    figure = page.dose()
    labels = [text.get_text() for text in figure.axes[-1].get_legend().get_texts()]
    assert labels == [shift_label(shift.name) for shift in page.shifts.values()]


def test_an_unknown_tier_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean 'reasoning'"):
        TierPage("reasonin")
