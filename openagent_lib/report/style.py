"""One look for every figure: fixed colours, the paper's order, and files whose bytes depend on the data alone."""

import io
import os
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import matplotlib
import pandas as pd
import seaborn
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from PIL import Image

from openagent_lib.evaluation.records import TIERS
from openagent_lib.paths import write_atomic
from openagent_lib.report.paper import BACKBONE, EXTRAS, REFUSALS
from openagent_lib.report.paper import SHIFTS as SHIFT_KINDS

WIDTH = 9.0
SCREEN_DPI = 100
FILE_DPI = 150
CAPTION_WIDTH = 132
COLOURS_IN_PNG = 128
INK = "#222222"
MUTED = "#6B6B6B"
PAPER_LABEL = f"paper, {BACKBONE}"

# Okabe-Ito, which stays distinct under the common colour-vision deficiencies; the marker repeats what the colour says.
RECIPES = {
    "base": ("Base", "#6B6B6B", "s"),
    "sft": ("SFT", "#0072B2", "o"),
    "grpo": ("RL (GRPO)", "#D55E00", "^"),
    "sft_grpo": ("SFT + RL", "#CC79A7", "v"),
    "paft": ("PAFT", "#009E73", "D"),
}
SCRIPTED = ("oracle", "frozen", "first_tool", "malformed", "refuser", "looper", "guesser")
SPARE_COLOURS = ("#56B4E9", "#E69F00", "#A0860B", "#222222", "#8C6BB1")
SPARE_MARKERS = ("P", "X", "<", ">", "p")

TIER_LABELS = {
    "closed_set": "Closed set",
    "perception": "Perception",
    "interaction": "Interaction",
    "reasoning": "Reasoning",
    "internalization": "Internalization",
}
SHIFTS = (
    "clean",
    *(f"{tier}.{kind}" for tier in SHIFT_KINDS for kind in (*SHIFT_KINDS[tier], *EXTRAS.get(tier, ()))),
    *(f"internalization.{kind}" for kind in (*REFUSALS, "domain_transfer")),
)

_RC = {
    "font.family": "DejaVu Sans",
    "font.size": 10.5,
    "axes.titlesize": 11.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 10.5,
    "axes.edgecolor": "#9A9A9A",
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": "#E4E4E4",
    "legend.frameon": False,
    "svg.hashsalt": "openagent-companion",
    "svg.fonttype": "path",
}


class ReportFigure(Figure):
    """A figure that shows itself in a notebook and carries its caption as text in `caption`."""

    caption = ""

    def _repr_png_(self) -> bytes:
        return png_bytes(self, SCREEN_DPI)


@contextmanager
def figure_style() -> Iterator[None]:
    """Apply the project's style inside the block and restore the user's settings after it."""
    with matplotlib.rc_context({**seaborn.axes_style("whitegrid"), **_RC}):
        yield


def new_figure(height: float) -> ReportFigure:
    """Return an empty figure, 9 inches (900 pixels on screen) wide and `height` inches high."""
    figure = ReportFigure(figsize=(WIDTH, height), facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def recipe_style(recipe: str) -> tuple[str, str, str]:
    """Return label, colour and marker of a recipe; an unknown one gets a spare colour fixed by its name."""
    if recipe in RECIPES:
        return RECIPES[recipe]
    spare = sum(recipe.encode()) % len(SPARE_COLOURS)
    return recipe, SPARE_COLOURS[spare], SPARE_MARKERS[spare]


def line_style(number: int) -> tuple[str, str]:
    """Return colour and marker of the n-th of several lines that are no recipes; ten differ from each other."""
    looks = [(colour, marker) for _, colour, marker in RECIPES.values()]
    looks += zip(SPARE_COLOURS, SPARE_MARKERS, strict=True)
    return looks[number % len(looks)]


def order_recipes(recipes: Iterable[str]) -> list[str]:
    """Return the recipes to draw: the paper's order, then others; scripted agents only if alone."""
    present = set(recipes)
    drawn = [recipe for recipe in RECIPES if recipe in present] + sorted(present - set(RECIPES) - set(SCRIPTED))
    return drawn or sorted(present)


def shift_rank(shift: str) -> tuple[int, int, str]:
    """Return the sort key that puts shifts in the paper's order, unknown ones last within their tier."""
    tier = "closed_set" if shift == "clean" else shift.partition(".")[0]
    tier_rank = TIERS.index(tier) if tier in TIERS else len(TIERS)
    return tier_rank, SHIFTS.index(shift) if shift in SHIFTS else len(SHIFTS), shift


def shift_label(shift: str) -> str:
    """Return a shift's name for readers: `perception.identity_erasure` becomes `Identity Erasure`."""
    return "Closed set" if shift == "clean" else shift.partition(".")[2].replace("_", " ").title()


def coverage(held: int, total: int) -> str:
    """Return how many of the shifts behind a number of the paper ours holds, as in `2 of the paper's 6`."""
    return f"the paper's {total}" if held == total else f"{held} of the paper's {total}"


def is_extra(shift: str) -> bool:
    """Tell whether a shift is one that no number of the paper is known to include."""
    tier, _, kind = shift.partition(".")
    return kind in EXTRAS.get(tier, ())


def count_label(counts: Iterable[int]) -> str:
    """Return `40` or `38 to 40` for the smallest and largest of some counts."""
    found = sorted(map(int, counts))
    if not found:
        return "0"
    return f"{found[0]:,}" if found[0] == found[-1] else f"{found[0]:,} to {found[-1]:,}"


def backbone_note(frame: pd.DataFrame) -> str:
    """Return the sentence that names the model behind the numbers."""
    return f"Model: {', '.join(sorted(set(frame['backbone'])))}."


def finish(
    figure: ReportFigure,
    title: str,
    caption: str,
    handles: Sequence[Line2D] = (),
    xlabel: str = "",
    panels: bool = True,
) -> None:
    """Add title and legend above the plot and the caption below it, and lay the axes out between them.

    Args:
        figure: Figure whose axes are drawn.
        title: One line that says what is shown.
        caption: What the marks mean and n; wrapped here and kept in `figure.caption`.
        handles: Legend entries; none, no legend.
        xlabel: Axis label shared by all panels; without it the axes bring their own labels.
        panels: Whether the panels have titles, which need room.
    """
    height = figure.get_size_inches()[1]
    lines = textwrap.wrap(caption.replace(" = ", "\u00a0=\u00a0"), CAPTION_WIDTH)
    foot = 0.16 + 0.175 * len(lines)
    figure.caption = caption
    figure.text(0.012, 1 - 0.12 / height, title, va="top", fontsize=13, fontweight="bold")
    figure.text(0.012, 0.1 / height, "\n".join(lines), va="bottom", fontsize=9, color=MUTED, linespacing=1.35)
    if xlabel:
        figure.text(0.6, (foot + 0.08) / height, xlabel, va="bottom", ha="center", fontsize=10.5)
    if handles:
        figure.legend(
            handles=handles, loc="upper left", bbox_to_anchor=(0.005, 1 - 0.38 / height), ncols=len(handles),
            fontsize=10, handletextpad=0.5, columnspacing=1.5, borderaxespad=0.2,
        )  # fmt: skip
    head = 0.5 + (0.3 if handles else 0.0) + (0.27 if panels else 0.0)
    figure.subplots_adjust(bottom=(foot + 0.6) / height, top=1 - head / height)


def recipe_handle(recipe: str, line: bool = False) -> Line2D:
    """Return the legend entry of a recipe."""
    label, colour, marker = recipe_style(recipe)
    return Line2D([], [], color=colour, marker=marker, linestyle="-" if line else "", markersize=7, label=label)


def paper_handle() -> Line2D:
    """Return the legend entry of the paper's numbers: a hollow diamond."""
    return Line2D([], [], label=PAPER_LABEL, **paper_mark())


def paper_mark() -> dict:
    """Return how a number of the paper is drawn."""
    return {
        "marker": "d", "markersize": 9, "markerfacecolor": "none", "markeredgecolor": INK, "markeredgewidth": 1.3,
        "linestyle": "", "clip_on": False, "zorder": 6,
    }  # fmt: skip


def png_bytes(figure: Figure, dpi: int) -> bytes:
    """Return the figure as a PNG of at most 128 colours (a third of the size); the same data give the same bytes."""
    with Image.open(io.BytesIO(_render(figure, format="png", dpi=dpi, metadata={"Software": None}))) as image:
        reduced = image.convert("RGB").quantize(COLOURS_IN_PNG, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    buffer = io.BytesIO()
    reduced.save(buffer, format="png", optimize=True, dpi=(dpi, dpi))
    return buffer.getvalue()


def svg_bytes(figure: Figure) -> bytes:
    """Return the figure as SVG; the same data give the same bytes."""
    return _render(figure, format="svg", metadata={"Date": None, "Creator": None})


def _render(figure: Figure, **options: object) -> bytes:
    buffer = io.BytesIO()
    with matplotlib.rc_context({**_RC, "savefig.bbox": None}):
        figure.savefig(buffer, facecolor="white", **options)
    return buffer.getvalue()


def save(figure: Figure, data: pd.DataFrame, out_dir: Path | str, name: str) -> list[Path]:
    """Write `<name>.png`, `<name>.svg` and `<name>.csv` (exactly what is drawn), each under a temporary name first.

    Returns:
        The three paths.
    """
    base = os.path.join(out_dir, name)
    return [
        write_atomic(f"{base}.png", png_bytes(figure, FILE_DPI)),
        write_atomic(f"{base}.svg", svg_bytes(figure)),
        write_atomic(f"{base}.csv", csv_text(data)),
    ]


def csv_text(data: pd.DataFrame) -> str:
    """Return a frame as CSV with six decimals, so that equal results are equal files on every machine."""
    return data.to_csv(index=False, lineterminator="\n", float_format=_decimals)


def _decimals(value: float) -> str:
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
