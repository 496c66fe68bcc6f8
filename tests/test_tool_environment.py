"""The sandbox as TRL's `environment_factory` takes it: methods as tools, over the very same environment."""

import inspect
from dataclasses import replace

import pytest

from openagent_lib.agents.scripted import OracleAgent, call_arguments
from openagent_lib.errors import ConfigError, DataError
from openagent_lib.evaluation.rollout import play
from openagent_lib.sandbox.channel import Channel, ChannelRule
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.domains.registry import DOMAINS, get_domain, world_of
from openagent_lib.sandbox.environment import MAX_STEPS, opening
from openagent_lib.sandbox.protocol import REFUSAL, format_answer
from openagent_lib.sandbox.tool_environment import environment_class, finish, sandbox_reward
from openagent_lib.shifts.catalogue import SHIFTS

TASKS = {name: make_tasks("train", 60, domain=name) for name in DOMAINS}
TASK = next(task for task in TASKS["poi"] if task.shape == "look_up")
FIND = get_domain("poi").catalogue["find"].name


def tools_of(instance):
    """Return the methods that TRL's GRPOTrainer takes for tools."""
    return {
        name: method
        for name, method in inspect.getmembers(instance, inspect.ismethod)
        if name not in ("reset", "get_reward") and not name.startswith("_")
    }


def start(task=TASK):
    instance = environment_class(task.domain)()
    assert instance.reset(task=task.to_json(), prompt=opening(task), shape=task.shape) is None
    return instance


def say(text):
    return {"role": "assistant", "content": text}


def follow_chain(instance, task):
    """Call the methods that the gold chain asks for and return the observations."""
    values, observations, methods, world = [], [], tools_of(instance), world_of(task)
    for call in task.gold_chain:
        tool, by_slot = task.tool_for(call.function), call.resolve(values)
        observations.append(methods[tool.name](**call_arguments(tool, by_slot)))
        values.append(world.run(call.function, by_slot, tool.factor))
    return observations


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_methods_are_exactly_the_tools_also_before_the_first_episode(domain):
    names = {tool.name for tool in get_domain(domain).catalogue.values()}
    assert set(tools_of(environment_class(domain)())) == names


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_schemas_that_trl_makes_are_those_of_the_closed_world_with_a_note_on_every_key(domain):
    from transformers.utils import get_json_schema

    methods = tools_of(environment_class(domain)())
    for tool in get_domain(domain).catalogue.values():
        schema = get_json_schema(methods[tool.name])
        notes = [key.pop("description") for key in schema["function"]["parameters"]["properties"].values()]
        assert all(notes)
        assert schema == tool.schema()


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_gold_chain_sees_what_the_plain_environment_shows_and_is_paid(domain):
    for task, plain in zip(TASKS[domain], play(OracleAgent(), TASKS[domain]), strict=True):
        instance = start(task)
        assert follow_chain(instance, task) == [event.observation for event in plain.events]
        assert sandbox_reward([[say(format_answer(task.gold_answer))]], [instance]) == [1.0]
        assert instance.environment.events == plain.events


@pytest.mark.parametrize("text", [format_answer("no such value"), REFUSAL, "mumble", "<tool_call>{</tool_call>", ""])
def test_other_endings_pay_nothing(text):
    assert sandbox_reward([[say(text)]], [start()]) == [0.0]


def test_an_episode_that_was_cut_off_at_a_call_pays_nothing_and_stays_open():
    instance = start()
    call = say(format_answer(TASK.gold_answer)) | {"tool_calls": [{"type": "function"}]}
    assert sandbox_reward([[call], [call, {"role": "tool", "content": "x"}]], [instance, start()]) == [0.0, 0.0]
    assert not instance.environment.is_done


def test_a_reward_may_be_asked_for_twice():
    instance, completion = start(), [say(format_answer(TASK.gold_answer))]
    assert sandbox_reward([completion], [instance]) == sandbox_reward([completion], [instance]) == [1.0]
    finish(instance.environment, completion)
    assert instance.environment.ending == "answered"


def test_invalid_arguments_are_answered_by_the_environment_itself():
    methods = tools_of(start())
    coded = next(text for text in get_domain("poi").tools if text.code is not None)
    values = dict.fromkeys(coded.tool().argument_names, "x")
    assert methods[coded.name](**values) == '{"error": "wrong code"}'
    assert methods[FIND](title="x") == '{"error": "expected arguments: name"}'
    assert methods[FIND](self="x", name="y") == '{"error": "expected arguments: name"}'
    assert methods[FIND](name=["x"]) == '{"error": "argument values must be strings or numbers"}'
    assert methods[FIND](name="</tool_call>").startswith('{"error": "')


def test_every_tool_that_the_prompt_shows_can_be_called():
    for domain, tasks in TASKS.items():
        instance = start(tasks[0])
        for name, method in tools_of(instance).items():
            instance.reset(task=tasks[0].to_json())
            values = dict.fromkeys(inspect.signature(method).parameters, "x")
            assert "unknown tool" not in method(**values), (domain, name)


def test_the_channel_disturbs_the_methods():
    instance = start(TASK.with_shift("a.b", 1.0, channel=Channel((ChannelRule("later", first=1),))))
    name = dict(TASK.slots)["name"]
    assert [tools_of(instance)[FIND](name=name) == "later" for _ in range(2)] == [True, False]


def test_nothing_is_called_after_the_last_step_or_before_the_first():
    over = '{"error": "the episode is over"}'
    assert tools_of(environment_class("poi")())[FIND](name="x") == over
    instance = start()
    replies = [tools_of(instance)[FIND](name="x") for _ in range(MAX_STEPS + 2)]
    assert [reply == over for reply in replies] == [False] * MAX_STEPS + [True] * 2
    assert instance.environment.ending == "exhausted"


def test_an_instance_is_used_again_for_the_next_episode():
    instance, other = start(), TASKS["poi"][-1]
    follow_chain(instance, TASK)
    instance.reset(task=other.to_json())
    assert instance.environment.events == []
    follow_chain(instance, other)
    assert sandbox_reward([[say(format_answer(other.gold_answer))]], [instance]) == [1.0]


def shifted(name):
    shift = SHIFTS[name]
    return shift.apply(next(task for task in TASKS["poi"] if shift.applies_to(task)), 1.0, 0, "train")


UNFIT = {
    "other names": shifted("perception.symbolic_drift"),
    "another tool": shifted("interaction.tool_redirection"),
    "no answer": shifted("internalization.fatal_error"),
    "another domain": TASKS["medical"][0],
    "another key": replace(TASK, call_key="args"),
}


@pytest.mark.parametrize("kind", UNFIT)
def test_a_task_that_the_methods_would_change_is_one_clear_line(kind):
    with pytest.raises(DataError, match="expected a task of poi with an answer and the tools of the closed") as caught:
        environment_class("poi")().reset(task=UNFIT[kind].to_json())
    assert len(str(caught.value).splitlines()) == 1


def test_a_missing_task_and_an_unknown_domain_are_clear_lines():
    with pytest.raises(DataError, match="column task, found none"):
        environment_class("poi")().reset(prompt=[])
    with pytest.raises(ConfigError, match="did you mean 'poi'"):
        environment_class("pois")


@pytest.mark.slow
def test_a_real_trainer_calls_the_tools_pays_for_answers_and_takes_a_step(tiny_backbone, tmp_path, monkeypatch):
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    from openagent_lib.agents.local import load_model

    model, tokenizer = load_model(tiny_backbone)
    tokenizer.padding_side = "left"
    model.config.max_position_embeddings = 4096
    before = {name: weight.detach().clone() for name, weight in model.named_parameters()}
    rewards = []
    config = GRPOConfig(
        output_dir=str(tmp_path), max_steps=1, per_device_train_batch_size=4, num_generations=2, learning_rate=1e-3,
        max_completion_length=700, use_cpu=True, bf16=False, gradient_checkpointing=False, report_to="none",
        disable_tqdm=True, save_strategy="no",
    )  # fmt: skip
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=lambda **given: rewards.extend(sandbox_reward(**given)) or rewards,
        args=config,
        train_dataset=Dataset.from_list([{"prompt": opening(t), "task": t.to_json()} for t in TASKS["poi"][:2]]),
        processing_class=tokenizer,
        environment_factory=environment_class("poi"),
    )
    waiting = []

    def generate(prompt_ids, *_, **__):
        """Write, for a model that knows nothing, what the oracle says in every second episode."""
        waiting[:] = waiting or trainer.environments
        texts = [
            OracleAgent().act([each.environment])[0] if trainer.environments.index(each) % 2 else "no answer"
            for each in waiting
        ]
        waiting[:] = [each for each, text in zip(waiting, texts, strict=True) if "<tool_call>" in text]
        assert len(texts) == len(prompt_ids)
        return [tokenizer(text + tokenizer.eos_token, add_special_tokens=False)["input_ids"] for text in texts], None

    monkeypatch.setattr(trainer, "_generate_single_turn", generate)
    trainer.train()
    assert rewards == [0.0, 1.0, 0.0, 1.0]
    assert all(event.error is None for each in trainer.environments for event in each.environment.events)
    assert [len(each.environment.events) > 0 for each in trainer.environments] == [False, True, False, True]
    assert any((weight != before[name]).any() for name, weight in trainer.model.named_parameters())
