"""The reported numbers are the known ones, carry their provenance, and none of the discredited ones is among them."""

import re

import pytest

from openagent_lib import paths
from openagent_lib.errors import OpenAgentError
from openagent_lib.report import paper
from openagent_lib.shifts.catalogue import SHIFTS

TIERS = ("perception", "interaction", "reasoning")
PLAIN = {
    ("base", None): (-29.8, -8.5, -8.5, 12.2),
    ("sft", 200): (-67.7, -48.2, -39.9, 0.3),
    ("sft", 400): (-53.9, -45.4, -32.5, 0.0),
    ("sft", 800): (-50.4, -45.3, -28.0, 0.2),
}
PAFT = {200: (28.6, 26.5, 22.7, 99.3), 400: (5.6, 4.9, -2.8, 97.8), 800: (-4.1, -5.3, -9.8, 99.6)}
MIXING = {0.2: (-6.9, -7.7, -15.8, 90.4), 0.3: (-4.1, -5.3, -9.8, 99.6), 0.4: (-5.3, -7.8, -11.1, 96.4)}
FORBIDDEN_VALUES = {92, 90, 91, 55, 58, 78, 35, 65, 20, 10, 30, 50}
FORBIDDEN_TEXT = ("PPO", "DPO", "Llama", "retention", "20-35", "10-30", "30-50", "35-65", "beclaude", "over 20%")


def values_of(table):
    cells = {(line.tier, line.metric): line.value for line in table.itertuples()}
    assert len(cells) == len(table) == 4
    changes = tuple(cells[(tier, "accuracy_change")] for tier in TIERS)
    return (*changes, cells[("internalization", "refusal_rate")])


def test_tier_averages_of_base_and_plain_sft():
    table = paper.load_table("tier_averages")
    assert len(table) == 16
    for (model, step), expected in PLAIN.items():
        rows = table[table["model"] == model]
        rows = rows[rows["step"].isna()] if step is None else rows[rows["step"] == step]
        assert values_of(rows) == expected


def test_paft_by_step():
    table = paper.load_table("paft")
    assert len(table) == 12
    assert set(table["alpha"]) == {0.3}
    for step, expected in PAFT.items():
        assert values_of(table[table["step"] == step]) == expected
    assert set(table.loc[table["step"] == 800, "mark"]) == {"inferred"}


def test_mixing_ratios():
    table = paper.load_table("mixing_ratio")
    assert len(table) == 12
    for alpha, expected in MIXING.items():
        assert values_of(table[table["alpha"] == alpha]) == expected


def test_statements():
    table = paper.load_table("statements")
    assert sorted(table["value"].dropna()) == [-67.7, 0.2, 99.6]
    assert {"near perfect", "rare", "falls", "usual", ""} == set(table["direction"])


@pytest.mark.parametrize("name", paper.TABLES)
def test_every_row_says_where_it_comes_from(name):
    table = paper.load_table(name)
    assert (table["source"] != "").all()
    assert set(table["mark"]) <= set(paper.MARKS)
    assert set(table["unit"]) <= {"points_or_percent", "percent"}


@pytest.mark.parametrize("name", paper.TABLES)
def test_discredited_numbers_are_absent(name):
    assert not FORBIDDEN_VALUES & {abs(value) for value in paper.load_table(name)["value"].dropna()}
    text = (paths.PAPER / f"{name}.csv").read_text()
    assert not [word for word in FORBIDDEN_TEXT if word.lower() in text.lower()]
    assert not re.search(r"\d\s*[-/]\s*\d+\s*%", text)


def test_nothing_is_reported_for_rl_but_statements():
    table = paper.load_all()
    assert table.loc[table["model"].isin(["grpo", "sft_grpo"]), "value"].isna().all()


def test_final_cells_are_the_last_step_and_then_statements():
    cells = paper.final_cells()
    assert not cells.duplicated(paper.CELL).any()
    numbers = cells[cells["value"].notna()]
    assert set(numbers.loc[numbers["model"] != "base", "step"]) == {800}
    statements = cells[cells["value"].isna()]
    assert set(zip(statements["model"], statements["tier"], strict=True)) == {
        ("sft", "closed_set"), ("grpo", "closed_set"), ("grpo", "internalization"),
        ("sft", "reasoning.logic_inversion"), ("grpo", "reasoning.logic_inversion"),
    }  # fmt: skip


def test_a_reported_number_is_found_and_an_unknown_one_is_nan():
    assert paper.reported("sft", "refusal_rate", "internalization") == 0.2
    assert paper.reported("paft", "refusal_rate", "internalization") == 99.6
    unknown = paper.reported("grpo", "refusal_rate", "internalization")
    assert unknown != unknown


def test_the_paper_and_the_readme_name_every_shift_of_the_catalogue_once():
    named = [name for tier in (*paper.SHIFTS, "internalization") for name in paper.shifts_of(tier)]
    named += [f"{tier}.{kind}" for tier, kinds in paper.EXTRAS.items() for kind in kinds]
    assert sorted([*named, "internalization.domain_transfer"]) == sorted(SHIFTS)


def test_the_refusals_are_the_shifts_that_must_be_refused():
    assert paper.shifts_of("internalization") == tuple(name for name in SHIFTS if not SHIFTS[name].is_solvable)


def test_the_extras_are_the_shifts_whose_source_is_the_official_readme():
    extras = {f"perception.{kind}" for kind in paper.EXTRAS["perception"]}
    assert extras == {name for name, shift in SHIFTS.items() if "Paper: official README" in shift.definition}


def test_a_cell_of_one_shift_and_the_closed_set_stand_for_themselves():
    assert paper.shifts_of("reasoning.logic_inversion") == ("reasoning.logic_inversion",)
    assert paper.shifts_of("closed_set") == ("clean",)


def test_a_missing_or_damaged_file_is_named(tmp_path):
    with pytest.raises(OpenAgentError, match="tier_averages"):
        paper.load_table("tier_average")
    (tmp_path / "paft.csv").write_text("source,mark\nKB,rumour\n")
    with pytest.raises(OpenAgentError, match="expected columns"):
        paper.load_table("paft", tmp_path)


def test_the_readme_describes_every_file():
    text = (paths.PAPER / "README.md").read_text()
    assert all(f"## {name}.csv" in text for name in paper.TABLES)
