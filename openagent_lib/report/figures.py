"""The figures: each writes PNG, SVG and the CSV of exactly what is drawn, and returns itself for display in a notebook.

Every estimate is drawn with its 95 % interval. Hollow diamonds are numbers reported by the paper for Qwen2.5-7B; they
stand only where the paper measured a quantity of the same kind, never as a target.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.ticker import MultipleLocator

from openagent_lib.report import paper, style
from openagent_lib.report.figure_data import (
    ALL_SHIFTS,
    CONTROL,
    dose_data,
    fig1_data,
    fig4_data,
    fig5_data,
    fig6_data,
)

BARS = {"linestyle": "", "capsize": 3, "elinewidth": 1.6, "capthick": 1.6, "markersize": 7}


def fig1_closed_set_over_training(
    frame: pd.DataFrame,
    out_dir: Path | str | None = None,
    recipes: Sequence[str] = ("sft", "grpo"),
) -> style.ReportFigure:
    """Draw closed-set accuracy over training, one panel per recipe with its own step axis.

    Args:
        frame: Records of intermediate models; recipe `base`, if present, is step 0 of `sft` and `grpo`.
        out_dir: Folder to write into; nothing is written without it.
        recipes: Recipes to draw.

    Paper: Figure 1.
    """
    data = fig1_data(frame, recipes)
    drawn = [recipe for recipe in recipes if recipe in set(data["recipe"])]
    with style.figure_style():
        figure = style.new_figure(4.6)
        axes = figure.subplots(1, len(drawn), sharey=True, squeeze=False)[0]
        for axis, recipe in zip(axes, drawn, strict=True):
            _draw_curve(axis, data[data["recipe"] == recipe], recipe)
        axes[0].set(ylabel="Closed-set accuracy (%)", ylim=(-4, 104))
        caption = (
            "Share of clean evaluation tasks solved, with 95 % intervals; "
            f"n = {style.count_label(data['n'])} tasks per point. Step 0 is the base model. "
            "The paper's Figure 1 shows both curves rising to near-perfect success; "
            f"its values are not known to us, so no mark of the paper is drawn. {style.backbone_note(frame)}"
        )
        style.finish(figure, "Accuracy in the closed set, over training", caption)
        figure.subplots_adjust(left=0.085, right=0.985, wspace=0.08)
    return _done(figure, data, out_dir, "fig1_closed_set_over_training")


def fig4_accuracy_by_tier(frame: pd.DataFrame, out_dir: Path | str | None = None) -> style.ReportFigure:
    """Draw accuracy by tier and recipe, the refusal rate for the last tier's unsolvable tasks.

    A tier holds the shifts that the paper's tier holds; other shifts stand beside it as a group of their own.

    Args:
        frame: Records of final models.
        out_dir: Folder to write into; nothing is written without it.
    """
    data = fig4_data(frame)
    groups, recipes = _fig4_groups(data), style.order_recipes(data["recipe"])
    with style.figure_style():
        figure = style.new_figure(5.2)
        axis = figure.subplots()
        _draw_tiers(axis, data, groups, recipes)
        handles = [style.recipe_handle(recipe) for recipe in recipes]
        handles += [style.paper_handle()] if (data["source"] == "paper").any() else []
        style.finish(
            figure,
            "From the closed set to the open world, tier by tier",
            _fig4_caption(data, frame),
            handles,
            panels=False,
        )
        figure.subplots_adjust(left=0.075, right=0.985)
    return _done(figure, data, out_dir, "fig4_accuracy_by_tier")


def fig5_paired_change(frame: pd.DataFrame, out_dir: Path | str | None = None) -> style.ReportFigure:
    """Draw the paired change of accuracy by shift, one panel per recipe, with the strength-0 control on top.

    Args:
        frame: Records of final models, clean ones included.
        out_dir: Folder to write into; nothing is written without it.
    """
    data = fig5_data(frame)
    recipes, lines = style.order_recipes(data["recipe"]), _fig5_lines(data)
    with style.figure_style():
        figure = style.new_figure(2.0 + 0.27 * (max(lines.values()) + 1))
        axes = figure.subplots(1, len(recipes), sharex=True, sharey=True, squeeze=False)[0]
        for axis, recipe in zip(axes, recipes, strict=True):
            _draw_changes(axis, data[data["recipe"] == recipe], lines, recipe)
        _label_lines(axes[0], data, lines, len(recipes))
        handles = [style.paper_handle()] if (data["source"] == "paper").any() else []
        xlabel = "Change of accuracy against the same task without the shift (percentage points)"
        style.finish(figure, "What each shift costs, task by task", _fig5_caption(data, frame), handles, xlabel)
        figure.subplots_adjust(left=0.255, right=0.985, wspace=0.14)
    return _done(figure, data, out_dir, "fig5_paired_change_by_shift")


def fig6_training_curves(
    logs: Mapping[str, Path | str | Sequence[dict]], out_dir: Path | str | None = None, backbone: str = ""
) -> style.ReportFigure:
    """Draw training loss (SFT family) and reward (RL) over the steps.

    Args:
        logs: The `log.jsonl`, or its rows, of each recipe.
        out_dir: Folder to write into; nothing is written without it.
        backbone: Name of the trained model, for the caption.
    """
    data = fig6_data(logs)
    panels = [metric for metric in ("loss", "reward") if metric in set(data["metric"])]
    recipes = style.order_recipes(data["recipe"])
    with style.figure_style():
        figure = style.new_figure(4.6)
        axes = figure.subplots(1, len(panels), squeeze=False)[0]
        for axis, metric in zip(axes, panels, strict=True):
            _draw_training(axis, data[data["metric"] == metric], metric)
        counts = style.count_label(data.groupby("recipe").size())
        caption = (
            "Line: running median of the logged values; band: their running 10th to 90th percentile; dots: the values. "
            f"n = {counts} logged steps per recipe, one training run each; the window is the column n of the CSV."
        ) + (f" Model: {backbone}." if backbone else "")
        style.finish(
            figure,
            "Loss and reward during training",
            caption,
            [style.recipe_handle(recipe, line=True) for recipe in recipes],
        )
        figure.subplots_adjust(left=0.085, right=0.985, wspace=0.2)
    return _done(figure, data, out_dir, "fig6_training_curves")


def fig_dose_response(frame: pd.DataFrame, out_dir: Path | str | None = None) -> style.ReportFigure:
    """Draw success over the strength of the shifts of one tier, one line per shift and one panel per agent.

    Args:
        frame: Records of clean tasks and of their twins at several strengths, as from
            `openagent_lib.evaluation.dose.dose_response`.
        out_dir: Folder to write into; nothing is written without it.

    Assumption: the paper was not seen to scale its shifts.
    """
    data = dose_data(frame)
    tier, shifts, agents = data["tier"].iloc[0], list(dict.fromkeys(data["shift"])), dict.fromkeys(data["recipe"])
    with style.figure_style():
        figure = style.new_figure(4.6)
        axes = figure.subplots(1, len(agents), sharex=True, sharey=True, squeeze=False)[0]
        for axis, agent in zip(axes, agents, strict=True):
            _draw_doses(axis, data[data["recipe"] == agent], shifts)
            axis.set_title(style.recipe_style(agent)[0])
        axes[0].set(ylabel="Success (%)", ylim=(-4, 104), xlim=(-0.08, 1.08))
        axes[-1].legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=9.5, borderaxespad=0.2)
        caption = (
            "Share of tasks on which the agent succeeds, with 95 % intervals; on an unsolvable task success is a "
            f"refusal. n = {style.count_label(data['n'])} tasks per point. Each line starts with the clean twins of "
            "its own tasks; lines stand a little apart so that equal ones can be told from each other."
        )
        style.finish(figure, f"{style.TIER_LABELS[tier]}: success over the strength of each shift", caption)
        figure.subplots_adjust(left=0.075, right=0.745, wspace=0.08)
    return _done(figure, data, out_dir, f"dose_response_{tier}")


def _draw_doses(axis, part: pd.DataFrame, shifts: list[str]) -> None:
    for number, shift in enumerate(shifts):
        rows = part[part["shift"] == shift]
        position = rows["strength"] + 0.01 * (number - (len(shifts) - 1) / 2)
        colour, marker = style.line_style(number)
        bars = {**BARS, "linestyle": "-", "linewidth": 1.4, "markersize": 6, "capsize": 2, "elinewidth": 1.1}
        axis.errorbar(
            position, rows["estimate"], yerr=_errors(rows), color=colour, marker=marker,
            label=style.shift_label(shift), **bars,
        )  # fmt: skip
    strengths = sorted(set(part["strength"]))
    axis.set_xticks(strengths, [f"{strength:g}" for strength in strengths])
    axis.set_xlabel("Strength")


def _done(figure: style.ReportFigure, data: pd.DataFrame, out_dir: Path | str | None, name: str) -> style.ReportFigure:
    if out_dir is not None:
        style.save(figure, data, out_dir, name)
    return figure


def _errors(part: pd.DataFrame) -> np.ndarray:
    return np.clip(np.vstack([part["estimate"] - part["low"], part["high"] - part["estimate"]]), 0, None)


def _fig4_groups(data: pd.DataFrame) -> list[tuple[str, str, str]]:
    return list(dict.fromkeys(zip(data["tier"], data["shifts"], data["metric"], strict=True)))


def _positions(part: pd.DataFrame, groups: list[tuple[str, str, str]]) -> np.ndarray:
    keys = zip(part["tier"], part["shifts"], part["metric"], strict=True)
    return np.array([groups.index(key) for key in keys], dtype=float)


def _draw_curve(axis, part: pd.DataFrame, recipe: str) -> None:
    label, colour, marker = style.recipe_style(recipe)
    axis.fill_between(part["step"], part["low"], part["high"], color=colour, alpha=0.15, linewidth=0)
    axis.errorbar(
        part["step"], part["estimate"], yerr=_errors(part), color=colour, marker=marker, **{**BARS, "linestyle": "-"}
    )
    axis.set(title=label, xlabel=f"{label} training step")


def _draw_tiers(axis, data: pd.DataFrame, groups: list[tuple[str, str, str]], recipes: list[str]) -> None:
    step = 0.78 / len(recipes)
    for number, recipe in enumerate(recipes):
        offset = (number - (len(recipes) - 1) / 2) * step
        _, colour, marker = style.recipe_style(recipe)
        own = data[data["recipe"] == recipe]
        part, reported = own[own["source"] == "measured"], own[own["source"] == "paper"]
        position = _positions(part, groups) + offset
        axis.errorbar(position, part["estimate"], yerr=_errors(part), color=colour, marker=marker, **BARS)
        if len(reported):
            axis.plot(_positions(reported, groups) + offset + 0.07, reported["estimate"], **style.paper_mark())
    for boundary in np.arange(len(groups) - 1) + 0.5:
        axis.axvline(boundary, color="#BDBDBD", linewidth=0.8)
    texts = [(style.TIER_LABELS[tier], note, metric.replace("_", " ")) for tier, note, metric in groups]
    names = ["\n".join(filter(None, lines)) for lines in texts]
    axis.set(xticks=range(len(groups)), xticklabels=names, xlim=(-0.5, len(groups) - 0.5), ylim=(-4, 104))
    axis.tick_params(axis="x", labelsize=9.5)
    axis.set_ylabel("Accuracy, or refusal rate (%)")
    axis.grid(False, axis="x")


def _fig4_caption(data: pd.DataFrame, frame: pd.DataFrame) -> str:
    counts = data[data["source"] == "measured"].groupby(["tier", "shifts"], sort=False)["n"]
    sizes = "; ".join(style.count_label(n) for _, n in counts)
    text = (
        "Accuracy: share of tasks solved; refusal rate: share of unsolvable tasks refused; with 95 % intervals over "
        f"base tasks. From left to right n = {sizes} episodes per recipe. The line below a tier's name says which "
        f"shifts are averaged.{_extras_note(frame['shift'])}"
    )
    if (data["source"] == "paper").any():
        text += f" Hollow diamonds: the refusal rates reported for {paper.BACKBONE}."
    return f"{text} {style.backbone_note(frame)}"


def _extras_note(shifts: Iterable[str]) -> str:
    """Return the sentence on the shifts that are kept out of the averages which stand beside the paper's."""
    names = [style.shift_label(shift) for shift in sorted(set(shifts), key=style.shift_rank) if style.is_extra(shift)]
    if not names:
        return ""
    return f" Extra, from the official README and in no average beside the paper's: {', '.join(names)}."


def _fig5_lines(data: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Return the height of each (tier, shift) line, from the top, with a gap between tiers."""
    keys = dict.fromkeys(zip(data["tier"], data["shift"], strict=True))
    tiers = ["control", *style.TIER_LABELS]
    ordered = sorted(keys, key=lambda key: (tiers.index(key[0]), key[1] != ALL_SHIFTS, style.shift_rank(key[1])))
    heights, height, previous = {}, 0.0, None
    for tier, shift in ordered:
        height += 0.0 if previous is None else 1.0 if tier == previous else 1.5
        heights[(tier, shift)], previous = height, tier
    return heights


def _draw_changes(axis, part: pd.DataFrame, lines: dict[tuple[str, str], float], recipe: str) -> None:
    label, colour, marker = style.recipe_style(recipe)
    height = np.array([lines[key] for key in zip(part["tier"], part["shift"], strict=True)])
    measured = (part["source"] == "measured").to_numpy()
    is_total = (part["shift"] == ALL_SHIFTS).to_numpy() & measured
    axis.axvline(0, color=style.INK, linewidth=1.1)
    for chosen, size in ((measured & ~is_total, 5), (is_total, 8)):
        rows = part[chosen]
        bars = {**BARS, "markersize": size, "capsize": 2}
        axis.errorbar(rows["estimate"], height[chosen], xerr=_errors(rows), color=colour, marker=marker, **bars)
    if not measured.all():
        axis.plot(part["estimate"][~measured], height[~measured], **style.paper_mark())
    for shade in (lines[key] for key in lines if key[1] == ALL_SHIFTS):
        axis.axhspan(shade - 0.5, shade + 0.5, color="#F1F1F1", zorder=0, linewidth=0)
    axis.set_title(label)
    axis.grid(False, axis="y")
    axis.grid(True, axis="x", which="minor")
    axis.xaxis.set_minor_locator(MultipleLocator(25))
    axis.tick_params(axis="x", labelsize=9)
    axis.tick_params(axis="y", labelsize=9.5)


def _label_lines(axis, data: pd.DataFrame, lines: dict[tuple[str, str], float], panels: int) -> None:
    axis.set_yticks(list(lines.values()), [_line_label(data, *key) for key in lines])
    for text, (_, shift) in zip(axis.get_yticklabels(), lines, strict=True):
        text.set_fontweight("bold" if shift == ALL_SHIFTS else "normal")
    axis.set_ylim(max(lines.values()) + 0.7, -0.7)
    edges = data[["estimate", "low", "high"]].to_numpy().ravel()
    low = min(math.floor(np.nanmin(edges) / 10) * 10, -20) - 4
    high = max(math.ceil(np.nanmax(edges) / 10) * 10, 10) + 4
    ticks, most = range(-100, 101, 20 if high - low <= 60 else 50), 100 if panels <= 3 else 99
    axis.set_xlim(low, high)
    axis.set_xticks([tick for tick in ticks if low <= tick <= high and abs(tick) <= most])


def _line_label(data: pd.DataFrame, tier: str, shift: str) -> str:
    if shift != ALL_SHIFTS:
        label = "Control: strength 0" if shift == CONTROL else style.shift_label(shift)
        return f"{label} (extra)" if style.is_extra(shift) else label
    present, shifts = set(data.loc[data["tier"] == tier, "shift"]), paper.shifts_of(tier)
    held = sum(name in present for name in shifts)
    return f"{style.TIER_LABELS[tier]}, {style.coverage(held, len(shifts)).replace('the ', '')}"


def _fig5_caption(data: pd.DataFrame, frame: pd.DataFrame) -> str:
    counts = data[(data["source"] == "measured") & ~data["shift"].isin([ALL_SHIFTS, CONTROL])]["n"]
    text = (
        "Difference between each shifted task and its clean twin (same model, same seed), with 95 % bootstrap "
        f"intervals over base tasks; n = {style.count_label(counts)} pairs per shift. {style.backbone_note(frame)} "
        "Unsolvable tasks, where success is a refusal, are not shown. Shaded: averages over the shifts behind the "
        f"paper's averages, and over no others.{_extras_note(data['shift'])}"
    )
    if (data["shift"] == CONTROL).any():
        text += " The control applies the shifts at strength 0 and should lie at zero."
    if (data["source"] == "paper").any():
        text += (
            " The paper's averages over a tier may be percent instead of points (not known): read their direction "
            "only; those of PAFT are left out, because the model they refer to is not known."
        )
    return text


def _draw_training(axis, part: pd.DataFrame, metric: str) -> None:
    for recipe in style.order_recipes(part["recipe"]):
        rows, (_, colour, _) = part[part["recipe"] == recipe], style.recipe_style(recipe)
        axis.plot(rows["step"], rows["value"], ".", color=colour, alpha=0.3, markersize=3, markeredgewidth=0)
        axis.fill_between(rows["step"], rows["low"], rows["high"], color=colour, alpha=0.18, linewidth=0)
        axis.plot(rows["step"], rows["median"], color=colour, linewidth=1.8)
    unit = "Loss (nats per trained token)" if metric == "loss" else "Mean reward per episode"
    axis.set(title=metric.capitalize(), xlabel="Training step", ylabel=unit)
    axis.set_ylim(bottom=min(0.0, float(part["value"].min())))
