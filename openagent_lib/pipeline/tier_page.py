"""What the notebooks of the four tiers share: each shift as a card, its pools, and three scripted agents in numbers."""

from functools import cached_property

import pandas as pd

from openagent_lib.agents.scripted import FrozenAgent, OracleAgent, RefuserAgent
from openagent_lib.errors import unknown_name
from openagent_lib.evaluation.dose import dose_response
from openagent_lib.evaluation.records import records_frame
from openagent_lib.evaluation.rollout import episodes
from openagent_lib.evaluation.suite import CLOSED_TASKS, SHIFT_TASKS, make_closed_set, shifted_twins
from openagent_lib.report.figures import fig_dose_response
from openagent_lib.report.style import ReportFigure
from openagent_lib.report.tables import results_table, to_markdown
from openagent_lib.report.task_view import before_after_text
from openagent_lib.report.trajectory_view import side_by_side_text
from openagent_lib.sandbox.builder import is_invertible
from openagent_lib.sandbox.domain import POOLS
from openagent_lib.sandbox.task import Task
from openagent_lib.shifts.catalogue import SHIFTS
from openagent_lib.shifts.shift import TIERS, Shift

COLUMN = 58
PATTERN = 76
DIMENSIONS = {"dQ": "query", "dA": "action", "dO": "observation", "dD": "domain"}


class TierPage:
    """The closed set of a seed under the shifts of one tier.

    Attributes:
        shifts: The tier's shifts by kind, in the paper's order.
        tasks: The clean tasks.
        agents: The oracle, the frozen agent, which remembers the clean tasks, and the refuser.
    """

    def __init__(self, tier: str, seed: int = 0) -> None:
        """Make the tasks of a tier's page.

        Raises:
            ConfigError: There is no such tier.
        """
        if tier not in TIERS:
            raise unknown_name("tier", tier, TIERS)
        self.seed = seed
        self.shifts: dict[str, Shift] = {shift.kind: shift for shift in SHIFTS.values() if shift.tier == tier}
        self.tasks = make_closed_set(CLOSED_TASKS, seed)
        self.agents = (OracleAgent(), FrozenAgent(self.tasks), RefuserAgent())

    def example(self, kind: str) -> tuple[Task, Task]:
        """Return a clean task and its twin: a short look-up where the shift applies to one."""
        shift = self.shifts[kind]
        suitable = [task for task in self.tasks if shift.applies_to(task)]
        task = min(suitable, key=lambda task: (task.shape != "look_up", not is_invertible(task), len(task.tools)))
        return task, shift.apply(task, 1.0, self.seed)

    def trajectories(self, task: Task) -> str:
        """Return what the frozen agent (left) and the oracle (right) do on a task; `≠` marks where they part."""
        oracle, frozen, _ = self.agents
        rows = [_without_question(row) for agent in (frozen, oracle) for row in episodes(agent, [task])]
        return f"{'frozen agent':<{COLUMN}}   oracle\n" + side_by_side_text(*rows, width=COLUMN)

    def card(self, kind: str) -> str:
        """Return a shift in Markdown: definition, one task before and after, and two agents on it."""
        shift, (task, twin) = self.shifts[kind], self.example(kind)
        definition, _, source = shift.definition.partition(" Paper: ")
        lines = {
            "what changes": f"{definition} (`{shift.dimension}`, the {DIMENSIONS[shift.dimension]} side)",
            "a good agent": f"should {shift.expected}",
            "strength": shift.strength_meaning,
            "source": f"Paper: {source}",
        }
        table = to_markdown(pd.DataFrame(lines.items(), columns=[f"`{kind}`", ""]))
        before_after, trajectories = _fenced(before_after_text(task, twin)), _fenced(self.trajectories(twin))
        return f"{table}\nBefore and after:\n\n{before_after}\nTwo agents on the shifted task:\n\n{trajectories}"

    def pools(self, count: int = 2) -> str:
        """Return the first patterns of both pools of every shift, long ones cut."""
        lines = []
        for kind, shift in self.shifts.items():
            for pool in POOLS:
                patterns = shift.patterns(pool)
                lines.append(f"{kind}, {pool} pool of {len(patterns)}")
                lines += [f"    {_cut(pattern)}" for pattern in patterns[:: -(-len(patterns) // count)]]
        return "\n".join(lines)

    def dose(self) -> ReportFigure:
        """Draw the success of the frozen agent over the strength of each shift, on the tasks that it applies to."""
        rows = dose_response(self.agents[1], self.tasks, list(self.shifts.values()), seed=self.seed)
        return fig_dose_response(records_frame(rows))

    @cached_property
    def records(self) -> pd.DataFrame:
        """Return the episodes of the three agents on the clean tasks and on the twins of every shift."""
        shifts = self.shifts.values()
        twins = [twin for shift in shifts for twin in shifted_twins(self.tasks, shift, SHIFT_TASKS, self.seed)]
        return records_frame([row for agent in self.agents for row in episodes(agent, self.tasks + twins, self.seed)])

    @cached_property
    def rates(self) -> pd.DataFrame:
        """Return one row per agent and shift; see `report.tables.results_table`."""
        return results_table(self.records).rename(columns={"recipe": "agent"})

    def table(self) -> str:
        """Return the summary of the tier in Markdown, one row per shift, each estimate with its 95 % interval."""
        rows = []
        for shift, part in self.rates.groupby("shift", sort=False):
            lines = part.set_index("agent")
            row = {"shift": shift.partition(".")[2] or shift, "metric": part["metric"].iloc[0], "n": part["n"].iloc[0]}
            row |= {agent.name: _interval(lines.loc[agent.name], "rate", "") for agent in self.agents}
            row |= {f"Δ {agent.name}": _interval(lines.loc[agent.name], "change", "change_") for agent in self.agents}
            rows.append(row)
        return to_markdown(pd.DataFrame(rows))


def _interval(line: pd.Series, estimate: str, prefix: str) -> str:
    low, high = line[f"{prefix}low"], line[f"{prefix}high"]
    return "-" if pd.isna(line[estimate]) else f"{line[estimate]:.0f} [{low:.0f}, {high:.0f}]"


def _without_question(row: dict) -> dict:
    return row | {"messages": [message for message in row["messages"] if message["role"] != "user"]}


def _fenced(text: str) -> str:
    return f"````text\n{text.strip()}\n````\n"


def _cut(pattern: str) -> str:
    text = pattern.replace("\n", " ⏎ ")
    return text if len(text) <= PATTERN else f"{text[: PATTERN - 1]}…"
