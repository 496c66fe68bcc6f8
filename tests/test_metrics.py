"""Metrics: each definition on hand-made records, pairing, controls, flips and empty input."""

import math

import pytest
from record_maker import SHIFTS, make_frame, make_record

from openagent_lib.errors import OpenAgentError
from openagent_lib.evaluation import metrics
from openagent_lib.evaluation.records import records_frame
from openagent_lib.evaluation.statistics import wilson

DRIFT, MISSING = "perception.symbolic_drift", "internalization.missing_condition"


def frame_of(*rows):
    return records_frame(rows)


def test_accuracy_is_a_plain_rate_when_every_task_occurs_once():
    frame = frame_of(*(make_record(f"t{i}", success=i < 7) for i in range(10)))
    assert metrics.accuracy(frame) == wilson(7, 10)


def test_success_on_an_unsolvable_task_is_a_refusal():
    frame = frame_of(make_record("a", MISSING, True), make_record("b", MISSING, False))
    assert metrics.accuracy(frame) == metrics.refusal_rate(frame) == wilson(1, 2)
    assert metrics.over_refusal(frame).n == 0


def test_over_refusal_looks_at_solvable_tasks_only():
    frame = frame_of(
        make_record("a", success=False, outcome="refused"),
        make_record("b"),
        make_record("c", MISSING, True),
    )
    assert metrics.over_refusal(frame) == wilson(1, 2)
    assert metrics.refusal_rate(frame) == wilson(1, 1)


def test_errors_of_infrastructure_are_counted_and_not_scored():
    frame = frame_of(make_record("a"), make_record("b", success=False, outcome="error"))
    assert metrics.accuracy(frame) == wilson(1, 1)
    assert metrics.summary(frame).loc[0, ["n_episodes", "n_errors", "accuracy_n"]].tolist() == [2, 1, 1]


def test_tool_error_rate_is_over_calls_and_not_over_tasks():
    frame = frame_of(
        make_record("a", n_calls=8, n_tool_errors=1),
        make_record("b", n_calls=2, n_tool_errors=2),
        make_record("c", n_calls=0),
    )
    interval = metrics.tool_error_rate(frame)
    assert (interval.estimate, interval.n) == (pytest.approx(0.3), 2)
    assert interval.low <= 0.3 <= interval.high


def test_active_exploration_is_over_anomalies():
    frame = frame_of(make_record("a", n_anomalies=3, n_explored=3), make_record("b", n_anomalies=1), make_record("c"))
    assert metrics.active_exploration(frame).estimate == pytest.approx(0.75)
    assert metrics.active_exploration(frame_of(make_record("c"))).n == 0


def test_average_chain_length_is_in_calls():
    frame = frame_of(make_record("a", n_calls=1), make_record("b", n_calls=4))
    assert metrics.average_chain_length(frame).estimate == 2.5


def test_paired_change_uses_the_twin_of_the_same_recipe_seed_and_step():
    clean = [
        make_record("a", success=True),
        make_record("a", success=False, seed=1),
        make_record("a", recipe="grpo", success=False),
    ]
    shifted = [
        make_record("a", DRIFT, False),
        make_record("a", DRIFT, False, seed=1),
        make_record("a", DRIFT, True, recipe="grpo"),
    ]
    frame = frame_of(*clean, *shifted, make_record("no twin", DRIFT, True))
    pairs = metrics.pair_with_clean(metrics.shifted(frame), frame)
    changes = {(pair.recipe, pair.seed): pair.change for pair in pairs.itertuples()}
    assert changes == {("sft", 0): -1, ("sft", 1): 0, ("grpo", 0): 1}


def test_paired_change_leaves_errors_and_unsolvable_tasks_out():
    frame = frame_of(
        make_record("a"), make_record("b", outcome="error", success=False), make_record("c"),
        make_record("a", DRIFT, False), make_record("b", DRIFT, False), make_record("c", MISSING, False),
    )  # fmt: skip
    interval = metrics.paired_change(metrics.shifted(frame), frame)
    assert (interval.n, interval.estimate) == (1, -100)


def test_two_clean_records_of_one_task_are_refused():
    frame = frame_of(make_record("a"), make_record("a", key="other"), make_record("a", DRIFT))
    with pytest.raises(OpenAgentError, match="found two of a"):
        metrics.paired_change(metrics.shifted(frame), frame)


def test_tier_accuracy_is_the_mean_over_its_episodes_clustered_by_task():
    rows = [make_record(f"t{i}", shift, i < 5) for i in range(20) for shift in SHIFTS[:2]]
    table = metrics.tier_summary(frame_of(*rows))
    line = table.iloc[0]
    plain = wilson(10, 40)
    assert (line["tier"], line["accuracy_n"], line["accuracy_estimate"]) == ("perception", 40, 0.25)
    assert line["accuracy_high"] - line["accuracy_low"] > plain.high - plain.low


def test_a_tier_averages_the_shifts_that_its_frame_holds():
    frame = frame_of(make_record("a"), make_record("a", DRIFT, True), make_record("a", SHIFTS[1], False))
    whole, part = metrics.tier_summary(frame), metrics.tier_summary(frame[frame["shift"] != SHIFTS[1]])
    assert whole.set_index("tier").loc["perception", ["accuracy_n", "accuracy_estimate"]].tolist() == [2, 0.5]
    assert part.set_index("tier").loc["perception", ["accuracy_n", "accuracy_estimate"]].tolist() == [1, 1]


def test_the_summary_has_one_row_per_recipe_and_shift_in_the_order_of_tiers():
    table = metrics.summary(make_frame())
    assert len(table) == 4 * (1 + len(SHIFTS))
    assert not table.duplicated(["recipe", "shift"]).any()
    tiers = list(dict.fromkeys(table["tier"]))
    assert tiers == ["closed_set", "perception", "interaction", "reasoning", "internalization"]
    for name in metrics.ALL:
        known = table[table[f"{name}_n"] > 0]
        assert (known[f"{name}_low"] <= known[f"{name}_estimate"] + 1e-9).all()
        assert (known[f"{name}_estimate"] <= known[f"{name}_high"] + 1e-9).all()
    assert (table.loc[table["shift"] == "clean", "paired_change_n"] == 0).all()


def test_the_control_arm_is_kept_apart_and_shows_no_change():
    frame = make_frame()
    assert set(metrics.summary(frame).query("strength == 0")["shift"]) == {"clean"}
    control = metrics.strength_zero_control(frame)
    assert len(control) == 4
    assert (control["n"] == 20).all()
    assert (control["n_differ"] == 0).all()
    assert (control["estimate"] == 0).all()


def test_a_control_that_differs_is_reported():
    frame = frame_of(make_record("a"), make_record("a", DRIFT, False, strength=0.0), make_record("a", DRIFT, False))
    assert metrics.strength_zero_control(frame).loc[0, ["n", "n_differ", "estimate"]].tolist() == [1, 1, -100]


def test_flips_are_counted_between_seeds():
    rows = [
        make_record(f"t{i}", success=i < 6 or (seed == 1 and i < 8), seed=seed) for i in range(10) for seed in (0, 1)
    ]
    line = metrics.flip_summary(frame_of(*rows)).iloc[0]
    assert line[["n", "n_flipped"]].tolist() == [10, 2]
    assert line["estimate"] == pytest.approx(0.2)
    single = metrics.flip_summary(frame_of(make_record("a"))).iloc[0]
    assert (single["n"], single["n_flipped"]) == (0, 0)
    assert math.isnan(single["estimate"])


def test_several_strengths_and_steps_are_not_mixed():
    rows = [make_record("a"), make_record("a", DRIFT, True, strength=0.5), make_record("a", DRIFT, False, strength=1.0)]
    table = metrics.summary(frame_of(*rows))
    assert table.loc[table["shift"] == DRIFT, "accuracy_estimate"].tolist() == [1, 0]
    tier = metrics.tier_summary(frame_of(*rows))
    assert tier.loc[tier["tier"] == "perception", "accuracy_estimate"].tolist() == [0]


def test_final_takes_the_model_without_a_step_or_the_last_one():
    frame = frame_of(make_record("a", step=3), make_record("a"), make_record("a", recipe="grpo", step=2),
                     make_record("a", recipe="grpo", step=9))  # fmt: skip
    assert sorted(zip(metrics.final(frame)["recipe"], metrics.final(frame)["step"], strict=True)) == [
        ("grpo", 9),
        ("sft", -1),
    ]


def test_nothing_at_all_gives_empty_tables():
    frame = frame_of()
    assert metrics.summary(frame).empty
    assert metrics.tier_summary(frame).empty
    assert metrics.strength_zero_control(frame).empty
    assert metrics.flip_summary(frame).empty
    assert metrics.final(frame).empty
    assert all(metric(frame).n == 0 for metric in metrics.METRICS.values())


def test_only_errors_give_nan_and_n_zero():
    frame = frame_of(make_record("a", outcome="error", success=False))
    assert metrics.summary(frame).loc[0, "accuracy_n"] == 0
    assert math.isnan(metrics.summary(frame).loc[0, "accuracy_estimate"])
