"""Figures: the same bytes for the same data, the CSV behind each, intervals, n, and odd input."""

import io
import itertools
import subprocess
import sys
from collections import Counter

import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.container import ErrorbarContainer
from PIL import Image
from record_maker import SHIFTS, make_curve, make_frame, make_logs

from openagent_lib import paths
from openagent_lib.agents.scripted import FrozenAgent
from openagent_lib.errors import OpenAgentError
from openagent_lib.evaluation.dose import dose_response
from openagent_lib.evaluation.records import records_frame
from openagent_lib.evaluation.suite import make_closed_set
from openagent_lib.report import figure_data, figures, paper, style
from openagent_lib.shifts.catalogue import SHIFTS as CATALOGUE


def make_doses():
    """Return what the frozen agent does on some tasks under every perception shift."""
    tasks = make_closed_set(8)
    shifts = [shift for shift in CATALOGUE.values() if shift.tier == "perception"]
    return records_frame(dose_response(FrozenAgent(tasks), tasks, shifts))


FIGURES = {
    "fig1_closed_set_over_training": (figures.fig1_closed_set_over_training, make_curve),
    "fig4_accuracy_by_tier": (figures.fig4_accuracy_by_tier, make_frame),
    "fig5_paired_change_by_shift": (figures.fig5_paired_change, make_frame),
    "fig6_training_curves": (figures.fig6_training_curves, make_logs),
    "dose_response_perception": (figures.fig_dose_response, make_doses),
}
RECIPES = ("base", "sft", "grpo", "sft_grpo", "paft")
CHANGED = "reasoning.rule_reasoning"
TRIO = ("png", "svg", "csv")


@pytest.fixture(scope="module")
def whole():
    """Return records of five recipes under all shifts; the first gains all and the second loses all by some shift."""
    frame = make_frame(tasks=12, recipes=RECIPES, shifts=tuple(CATALOGUE))
    gain = (frame["recipe"] == "base") & frame["solvable"].astype(bool)
    loss = (frame["recipe"] == "sft") & frame["solvable"].astype(bool)
    frame.loc[gain, "success"] = frame.loc[gain, "shift"] == CHANGED
    frame.loc[loss, "success"] = frame.loc[loss, "shift"] != CHANGED
    return frame


@pytest.fixture(scope="module")
def whole_figures(whole):
    return {draw: draw(whole) for draw in (figures.fig4_accuracy_by_tier, figures.fig5_paired_change)}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    return folder, {name: draw(make(), folder) for name, (draw, make) in FIGURES.items()}


@pytest.mark.parametrize("name", FIGURES)
def test_the_same_data_give_the_same_bytes(name, drawn, tmp_path):
    draw, make = FIGURES[name]
    draw(make(), tmp_path)
    for ending in TRIO:
        assert (tmp_path / f"{name}.{ending}").read_bytes() == (drawn[0] / f"{name}.{ending}").read_bytes(), ending


def test_bytes_do_not_depend_on_the_users_style_nor_on_the_process(drawn, tmp_path):
    code = (
        "import matplotlib; matplotlib.rcParams.update({'font.size': 22, 'savefig.dpi': 40, 'axes.grid': False, "
        "'savefig.bbox': 'tight', 'svg.fonttype': 'none'})\n"
        "import sys; sys.path.insert(0, 'tests')\n"
        "from record_maker import make_frame\nfrom openagent_lib.report import figures\n"
        f"figures.fig4_accuracy_by_tier(make_frame(), {str(tmp_path)!r})\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=paths.ROOT)
    for ending in TRIO:
        name = f"fig4_accuracy_by_tier.{ending}"
        assert (tmp_path / name).read_bytes() == (drawn[0] / name).read_bytes(), ending


@pytest.mark.parametrize("name", FIGURES)
def test_files_carry_no_date_no_software_and_no_leftovers(name, drawn):
    folder, _ = drawn
    with Image.open(folder / f"{name}.png") as image:
        assert set(image.info) <= {"dpi"}
        assert image.width == 1350
    svg = (folder / f"{name}.svg").read_text()
    assert "dc:date" not in svg
    assert "matplotlib.org" not in svg.partition("</metadata>")[0].replace("Matplotlib v", "")
    assert sorted(path.name for path in folder.glob(f"*{name}*")) == sorted(f"{name}.{ending}" for ending in TRIO)


@pytest.mark.parametrize("name", FIGURES)
def test_n_is_in_the_caption_and_the_caption_in_the_figure(name, drawn):
    figure = drawn[1][name]
    assert "n = " in figure.caption
    texts = [text.get_text().replace("\n", " ").replace("\u00a0", " ") for text in figure.texts]
    assert figure.caption in texts


@pytest.mark.parametrize("name", FIGURES)
def test_axes_are_labelled_and_text_stays_inside(name, drawn):
    figure = drawn[1][name]
    assert figure.axes[0].get_ylabel() or figure.axes[0].get_yticklabels()
    width, height = figure.get_size_inches() * figure.dpi
    boxes = [text.get_window_extent() for text in figure.texts]
    boxes += [axis.get_tightbbox() for axis in figure.axes]
    boxes += [legend.get_window_extent() for legend in figure.legends]
    assert all(box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height for box in boxes)
    axes = [axis.get_tightbbox() for axis in figure.axes]
    outside = [text.get_window_extent() for text in figure.texts] + [box.get_window_extent() for box in figure.legends]
    assert not any(one.overlaps(two) for one in outside for two in axes)


def drawn_points(figure):
    """Return every estimate with an interval that the figure shows, as (estimate, low, high)."""
    points = []
    for axis in figure.axes:
        for container in axis.containers:
            assert isinstance(container, ErrorbarContainer)
            line, _, bars = container
            (bar,) = bars
            assert isinstance(bar, LineCollection)
            direction = 0 if container.has_xerr else 1
            values = line.get_data()[direction]
            ends = [segment[:, direction] for segment in bar.get_segments()]
            points += [(value, *sorted(pair)) for value, pair in zip(values, ends, strict=True)]
    return sorted(tuple(float(number) for number in point) for point in points)


@pytest.mark.parametrize("name", [name for name in FIGURES if "training_curves" not in name])
def test_the_csv_holds_exactly_what_is_drawn(name, drawn):
    table = pd.read_csv(drawn[0] / f"{name}.csv")
    measured = table[table["source"] == "measured"]
    rows = sorted(map(tuple, measured[["estimate", "low", "high"]].to_numpy()))
    assert len(rows) == len(drawn_points(drawn[1][name]))
    for point, row in zip(drawn_points(drawn[1][name]), rows, strict=True):
        assert point == pytest.approx(row, abs=2e-6)
    assert (measured["n"] > 0).all()


def test_the_csv_of_the_training_curves_holds_the_drawn_lines(drawn):
    table = pd.read_csv(drawn[0] / "fig6_training_curves.csv")
    lines = [
        line for axis in drawn[1]["fig6_training_curves"].axes for line in axis.lines if line.get_linestyle() == "-"
    ]
    heights = sorted(float(value) for line in lines for value in line.get_ydata())
    assert heights == pytest.approx(sorted(table["median"]), abs=1e-6)
    assert all(axis.collections for axis in drawn[1]["fig6_training_curves"].axes)


def test_the_papers_numbers_are_drawn_only_where_comparable(drawn):
    reported = pd.read_csv(drawn[0] / "fig5_paired_change_by_shift.csv").query("source == 'paper'")
    assert set(reported["recipe"]) == {"base", "sft"}
    assert set(reported["shift"]) == {figure_data.ALL_SHIFTS}
    refusals = pd.read_csv(drawn[0] / "fig4_accuracy_by_tier.csv").query("source == 'paper'")
    assert set(refusals["metric"]) == {"refusal_rate"}
    assert sorted(refusals["estimate"]) == [0.2, 12.2, 99.6]
    labels = [text.get_text() for legend in drawn[1]["fig4_accuracy_by_tier"].legends for text in legend.get_texts()]
    assert f"paper, {paper.BACKBONE}" in labels


def test_no_average_beside_the_papers_depends_on_another_shift(whole):
    whole = whole[whole["recipe"].isin(["base", "grpo"])]
    apart = whole["shift"].map(lambda shift: style.is_extra(shift) or shift == "internalization.domain_transfer")
    lost = whole.assign(success=whole["success"] & ~apart)
    assert not lost.equals(whole)
    for data in (figure_data.fig5_data, figure_data.fig4_data):
        before, after = data(whole), data(lost)
        column = "shift" if "shift" in before else "shifts"
        total = before[column].isin([figure_data.ALL_SHIFTS, *(f"the paper's {count}" for count in (6, 5, 3, 2))])
        assert total.sum() >= 6
        pd.testing.assert_frame_equal(before[total], after[total])
        assert not before[~total].equals(after[~total])


def test_figure_4_shows_every_group_of_shifts_with_its_own_metric(whole, whole_figures):
    data = figure_data.fig4_data(whole)
    groups = list(dict.fromkeys(zip(data["tier"], data["shifts"], data["metric"], strict=True)))
    assert groups == [
        ("closed_set", "", "accuracy"), ("perception", "the paper's 6", "accuracy"),
        ("perception", "3 extra", "accuracy"), ("interaction", "the paper's 5", "accuracy"),
        ("reasoning", "the paper's 3", "accuracy"), ("internalization", "the paper's 2", "refusal_rate"),
        ("internalization", "Domain Transfer", "accuracy"),
    ]  # fmt: skip
    sizes = data[data["source"] == "measured"].groupby(["tier", "shifts"], sort=False)["n"].first()
    assert sizes.tolist() == [12, 72, 36, 60, 36, 24, 12]
    assert "n = 12; 72; 36; 60; 36; 24; 12 episodes" in whole_figures[figures.fig4_accuracy_by_tier].caption


def test_labels_and_captions_say_which_shifts_are_averaged(whole_figures, drawn):
    labels = [label.get_text() for label in whole_figures[figures.fig5_paired_change].axes[0].get_yticklabels()]
    assert {"Perception, paper's 6", "Interaction, paper's 5", "Reasoning, paper's 3"} <= set(labels)
    assert [label for label in labels if "extra" in label] == [
        "Distractor Tools (extra)", "Tool Name Noise (extra)", "Verification Code (extra)",
    ]  # fmt: skip
    assert len(labels) == 1 + 3 + 18
    partial = [label.get_text() for label in drawn[1]["fig5_paired_change_by_shift"].axes[0].get_yticklabels()]
    assert "Perception, 2 of paper's 6" in partial
    for draw, name in (
        (figures.fig4_accuracy_by_tier, "fig4_accuracy_by_tier"),
        (figures.fig5_paired_change, "fig5_paired_change_by_shift"),
    ):
        assert "Distractor Tools, Tool Name Noise, Verification Code." in whole_figures[draw].caption
        assert "Extra" not in drawn[1][name].caption


@pytest.mark.parametrize("draw", [figures.fig4_accuracy_by_tier, figures.fig5_paired_change])
@pytest.mark.parametrize("is_extreme", [True, False])
def test_labels_of_all_shifts_and_recipes_stay_apart_and_inside(draw, is_extreme, whole, whole_figures):
    figure = whole_figures[draw] if is_extreme else draw(whole[whole["shift"] != CHANGED])
    figure.canvas.draw()
    width = figure.get_size_inches()[0] * figure.dpi
    boxes = [label.get_window_extent() for axis in figure.axes for label in axis.get_xticklabels() if label.get_text()]
    assert len(boxes) >= 2 * len(figure.axes)
    boxes.sort(key=lambda box: box.x0)
    assert all(left.x1 + 4 < right.x0 for left, right in itertools.pairwise(boxes))
    assert boxes[-1].x1 <= width
    lines = [label.get_window_extent() for label in figure.axes[0].get_yticklabels()]
    assert all(box.x0 >= 0 for box in lines)
    assert not any(one.overlaps(two) for one, two in itertools.pairwise(lines))


def test_the_style_knows_every_shift_in_the_order_of_the_catalogue():
    assert style.SHIFTS == ("clean", *CATALOGUE)
    assert len({style.shift_label(shift) for shift in style.SHIFTS}) == len(style.SHIFTS)


def test_lines_of_a_tier_differ_in_colour_and_marker():
    most = max(Counter(shift.tier for shift in CATALOGUE.values()).values())
    looks = [style.line_style(number) for number in range(most)]
    assert len({colour for colour, _ in looks}) == len({marker for _, marker in looks}) == most


def test_tiers_shifts_and_recipes_keep_the_papers_order(drawn):
    table = pd.read_csv(drawn[0] / "fig4_accuracy_by_tier.csv")
    assert list(dict.fromkeys(table["tier"])) == list(style.TIER_LABELS)
    assert style.order_recipes(["paft", "oracle", "zeta", "base", "sft"]) == ["base", "sft", "paft", "zeta"]
    assert style.order_recipes(["oracle"]) == ["oracle"]
    assert sorted(SHIFTS[::-1], key=style.shift_rank) == list(SHIFTS)
    ordered = ["clean", "perception.semantic_trap", "perception.zzz", "interaction.format_shift"]
    assert sorted(ordered[::-1], key=style.shift_rank) == ordered


def test_colours_and_markers_are_distinct_and_fixed():
    assert len({colour for _, colour, _ in style.RECIPES.values()}) == len(style.RECIPES)
    assert len({marker for _, _, marker in style.RECIPES.values()}) == len(style.RECIPES)
    assert style.recipe_style("toolrl") == style.recipe_style("toolrl")


def test_step_zero_is_the_base_model():
    data = figure_data.fig1_data(make_curve())
    assert data.groupby("recipe")["step"].apply(list).to_dict() == {"sft": [0, 10, 20, 40], "grpo": [0, 10, 20, 40]}
    assert set(data.loc[data["step"] == 0, "estimate"]) == {50.0}


@pytest.mark.parametrize("tasks", [1, 2])
def test_one_or_two_tasks_are_enough_to_draw(tasks, tmp_path):
    figures.fig1_closed_set_over_training(make_curve(tasks, steps=(1,)), tmp_path)
    figures.fig4_accuracy_by_tier(make_frame(tasks), tmp_path)
    figures.fig5_paired_change(make_frame(tasks, control=False), tmp_path)
    figures.fig6_training_curves(make_logs(tasks), tmp_path)
    doses = make_doses()
    figures.fig_dose_response(doses[doses["base_task_id"].isin(doses["base_task_id"].unique()[:tasks])], tmp_path)
    assert len(list(tmp_path.iterdir())) == 15


def test_missing_data_are_named_in_one_line(tmp_path):
    frame = make_frame()
    with pytest.raises(OpenAgentError, match="intermediate steps"):
        figures.fig1_closed_set_over_training(frame[frame["shift"] != "clean"], tmp_path)
    with pytest.raises(OpenAgentError, match="clean twins"):
        figures.fig5_paired_change(frame[frame["shift"] == "clean"], tmp_path)
    with pytest.raises(OpenAgentError, match="found no file"):
        figures.fig6_training_curves({"sft": tmp_path / "absent.jsonl"}, tmp_path)
    with pytest.raises(OpenAgentError, match="found none"):
        figures.fig6_training_curves({"sft": []}, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_log_with_torn_lines_and_repeated_steps_is_read(tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text(
        '{"step": 1, "loss": 2.0}\n{"step": 2, "loss": 9}\n{"step": 2, "loss": 1.0}\n{"eval": 3}\n{"step": 3, "lo'
    )
    assert figure_data.fig6_data({"sft": log})["value"].tolist() == [2.0, 1.0]


def test_a_notebook_shows_the_figure_itself(drawn):
    png = drawn[1]["fig4_accuracy_by_tier"]._repr_png_()
    with Image.open(io.BytesIO(png)) as image:
        assert image.width == 900
    assert len(png) < 80_000


def test_nothing_is_written_without_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    figures.fig4_accuracy_by_tier(make_frame(tasks=3))
    assert not list(tmp_path.iterdir())


def test_reports_need_no_torch():
    code = "import sys, openagent_lib.report.figures, openagent_lib.report.tables; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=paths.ROOT).returncode == 0
