"""Figures: the same bytes for the same data, the CSV behind each, intervals, n, and odd input."""

import io
import subprocess
import sys

import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.container import ErrorbarContainer
from PIL import Image
from record_maker import SHIFTS, make_curve, make_frame, make_logs

from openagent_lib import paths
from openagent_lib.errors import OpenAgentError
from openagent_lib.report import figure_data, figures, paper, style

FIGURES = {
    "fig1_closed_set_over_training": (figures.fig1_closed_set_over_training, make_curve),
    "fig4_accuracy_by_tier": (figures.fig4_accuracy_by_tier, make_frame),
    "fig5_paired_change_by_shift": (figures.fig5_paired_change, make_frame),
    "fig6_training_curves": (figures.fig6_training_curves, make_logs),
}
TRIO = ("png", "svg", "csv")


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
    assert len(list(tmp_path.iterdir())) == 12


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
