"""Tables: content, the verdict rule, and honest handling of missing data."""

import itertools
import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from record_maker import SHIFTS, make_frame, make_record

from openagent_lib.config import RECIPES
from openagent_lib.evaluation import metrics
from openagent_lib.evaluation.records import records_frame
from openagent_lib.evaluation.statistics import Interval, wilson
from openagent_lib.pipeline import readme
from openagent_lib.report import paper, tables
from openagent_lib.shifts.catalogue import SHIFTS as CATALOGUE


@pytest.fixture(scope="module")
def comparison():
    return tables.comparison_table(make_frame(tasks=200))


def cell(table, recipe, metric, name):
    return table[(table["recipe"] == recipe) & (table["metric"] == metric) & (table["cell"] == name)].iloc[0]


def test_results_hold_n_rate_and_interval_of_every_recipe_and_shift():
    frame = make_frame()
    table = tables.results_table(frame)
    assert len(table) == 4 * (1 + len(SHIFTS))
    assert list(dict.fromkeys(table["recipe"])) == ["base", "sft", "grpo", "paft"]
    assert list(table["shift"][: 1 + len(SHIFTS)]) == ["clean", *SHIFTS]
    assert set(table.loc[table["metric"] == "refusal rate", "shift"]) == {"internalization.missing_condition"}
    line = table.iloc[0]
    part = frame[(frame["recipe"] == "base") & (frame["shift"] == "clean")]
    expected = wilson(int(part["success"].sum()), 20).scale(100)
    assert (line["rate"], line["low"], line["high"]) == (expected.estimate, expected.low, expected.high)
    assert math.isnan(line["change"])


def test_scripted_agents_are_rows_of_the_results():
    frame = records_frame([make_record("a", recipe="oracle"), make_record("a", recipe="sft")])
    assert list(tables.results_table(frame)["recipe"]) == ["sft", "oracle"]


def test_every_reported_cell_gets_one_verdict_with_a_reason(comparison):
    assert len(comparison) == len(paper.final_cells())
    assert not comparison.duplicated(["recipe", "metric", "cell"]).any()
    assert set(comparison["verdict"]) <= {tables.AGREES, tables.DIFFERS, tables.NOT_COMPARABLE}
    assert comparison["reason"].str.contains("paper: Qwen2.5-7B, here: tiny").all()
    assert sum(tables.count_verdicts(comparison).values()) == len(comparison)


def test_a_clear_loss_agrees_with_the_papers_loss(comparison):
    line = cell(comparison, "sft", "accuracy_change", "perception")
    assert (line["paper"], line["paper_says"], line["verdict"]) == (-50.4, "falls", tables.AGREES)
    assert line["n"] == 400
    assert "; over 2 of the paper's 6 shifts;" in line["reason"]


def test_a_tiers_cell_averages_exactly_the_papers_shifts():
    frame = make_frame(tasks=10, recipes=("sft",), shifts=tuple(CATALOGUE), control=False)
    for tier in ("perception", "interaction", "reasoning"):
        own = frame[frame["shift"].isin([f"{tier}.{kind}" for kind in paper.SHIFTS[tier]])]
        expected = metrics.paired_change(own, frame)
        assert tables.measure(frame, "sft", "accuracy_change", tier) == expected
        assert expected.n == 10 * len(paper.SHIFTS[tier])
    refusals = tables.measure(frame, "sft", "refusal_rate", "internalization")
    assert refusals == metrics.refusal_rate(frame).scale(100)
    assert refusals.n == 20
    reasons = tables.comparison_table(frame).set_index(["recipe", "metric", "cell"])["reason"]
    assert "; over the paper's 6 shifts;" in reasons["sft", "accuracy_change", "perception"]
    assert "; over the paper's 2 shifts;" in reasons["sft", "refusal_rate", "internalization"]
    assert "shifts" not in reasons["sft", "accuracy", "closed_set"]


@pytest.mark.parametrize("kind", paper.EXTRAS["perception"])
def test_no_cell_depends_on_an_extra_shift(kind):
    frame = make_frame(tasks=10, recipes=("sft",), shifts=tuple(CATALOGUE), control=False)
    lost = frame.assign(success=frame["success"] & (frame["shift"] != f"perception.{kind}"))
    assert not lost.equals(frame)
    pd.testing.assert_frame_equal(tables.comparison_table(frame), tables.comparison_table(lost))


def test_domain_transfer_is_reported_as_accuracy_and_in_no_refusal_rate():
    frame = make_frame(tasks=10, recipes=("sft",), shifts=tuple(CATALOGUE), control=False)
    lines = tables.results_table(frame).set_index("shift")["metric"]
    assert lines["internalization.domain_transfer"] == "accuracy"
    assert list(lines.index[lines == "refusal rate"]) == [f"internalization.{kind}" for kind in paper.REFUSALS]


def test_results_keep_the_order_of_the_catalogue():
    table = tables.results_table(make_frame(tasks=2, shifts=tuple(reversed(CATALOGUE))))
    assert list(table["shift"][:21]) == ["clean", *CATALOGUE]


def test_the_readme_shows_every_shift_once_in_tier_order():
    table = tables.results_table(make_frame(tasks=2, recipes=RECIPES, shifts=tuple(CATALOGUE)))
    lines = readme.result_table(table).splitlines()[2:]
    assert [line.split("`")[1] for line in lines] == ["clean", *CATALOGUE]


def test_the_readme_says_what_a_cell_averages(comparison):
    text = readme.comparison_text(comparison)
    assert all(f"`perception.{kind}`" in text.partition("|")[0] for kind in paper.EXTRAS["perception"])


def test_a_refusing_model_differs_from_the_paper(comparison):
    line = cell(comparison, "grpo", "refusal_rate", "internalization")
    assert line["verdict"] == tables.DIFFERS
    assert "rare" in line["reason"]


def test_a_recovered_model_differs_from_a_collapse():
    verdict = tables.judge("grpo", "accuracy_change", "falls", Interval(0.0, -3.0, 3.0, 500))
    assert (verdict.verdict, verdict.reason) == (tables.DIFFERS, "paper: falls, ours: holds")


def test_the_changes_of_paft_are_not_comparable(comparison):
    rows = comparison[(comparison["recipe"] == "paft") & (comparison["metric"] == "accuracy_change")]
    assert len(rows) == 3
    assert set(rows["verdict"]) == {tables.NOT_COMPARABLE}
    assert rows["reason"].str.contains("is not known").all()


def test_a_recipe_that_solves_nothing_without_a_shift_has_nothing_to_lose():
    rows = [make_record(f"t{number:03}", shift, False, recipe="base") for number in range(50) for shift in SHIFTS]
    rows += [make_record(f"t{number:03}", success=number == 0, recipe="base") for number in range(50)]
    table = tables.comparison_table(records_frame(rows))
    changes = table[(table["recipe"] == "base") & (table["metric"] == "accuracy_change")]
    assert len(changes) >= 3 and set(changes["verdict"]) == {tables.NOT_COMPARABLE}
    assert changes["reason"].str.contains("nothing to lose").any()


def test_a_wide_interval_is_undecided():
    verdict = tables.judge("sft", "accuracy_change", "falls", Interval(-8.0, -20.0, 4.0, 12))
    assert verdict.verdict == tables.NOT_COMPARABLE
    assert verdict.reason == "undecided at n = 12: the interval allows falls or holds"


def test_what_was_not_measured_is_not_comparable():
    frame = records_frame([make_record("a", recipe="base")])
    table = tables.comparison_table(frame)
    assert set(table["verdict"]) == {tables.NOT_COMPARABLE}
    assert (table["n"] == 0).all()
    assert (table["paper_in_interval"] == "").all()


@given(st.floats(-100, 100), st.floats(0, 60), st.sampled_from(["falls", "holds", "rises"]))
def test_verdicts_follow_the_rule(centre, half, region):
    ours = Interval(centre, max(-100, centre - half), min(100, centre + half), 40)
    low, high = tables.REGIONS["accuracy_change"][region]
    verdict = tables.judge("sft", "accuracy_change", region, ours).verdict
    if verdict == tables.AGREES:
        assert low <= ours.low
        assert ours.high <= high
    elif verdict == tables.DIFFERS:
        assert ours.high < low or ours.low >= high
    else:
        assert ours.high >= low
        assert ours.low < high


def test_regions_cover_every_value_once():
    for regions in tables.REGIONS.values():
        ends = list(regions.values())
        assert ends[0][0] == -math.inf
        assert ends[-1][1] == math.inf
        assert all(one[1] == two[0] for one, two in itertools.pairwise(ends))


def test_reported_directions_are_regions_of_their_metric():
    for line in paper.final_cells().itertuples():
        region = line.direction or tables.region_of(line.metric, line.value)
        assert region in tables.REGIONS[line.metric]


def test_a_written_table_reads_back_and_is_stable(tmp_path, comparison):
    path = tables.write_table(comparison, tmp_path / "tables" / "comparison.csv")
    again = pd.read_csv(path, keep_default_na=False, na_values=[""])
    assert list(again.columns) == list(comparison.columns)
    assert again["ours"].to_numpy() == pytest.approx(comparison["ours"].to_numpy(), abs=1e-6, nan_ok=True)
    first = path.read_bytes()
    assert tables.write_table(comparison, path).read_bytes() == first
    assert [entry.name for entry in path.parent.iterdir()] == ["comparison.csv"]


def test_markdown_rounds_and_escapes():
    table = pd.DataFrame({"a": ["x|y\nz"], "b": [-0.04], "c": [float("nan")], "n": [3]})
    assert tables.to_markdown(table).splitlines()[2] == "| x\\|y z | 0.0 | - | 3 |"
    assert tables.to_markdown(table, ["n"]).splitlines() == ["| n |", "| --- |", "| 3 |"]
