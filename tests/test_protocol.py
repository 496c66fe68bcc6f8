"""What messages mean: exactly one thing, whatever the text; refusals, answers and calls are told apart."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from openagent_lib import paths
from openagent_lib.sandbox.protocol import (
    MAX_CALLS_PER_MESSAGE,
    MAX_MESSAGE_CHARACTERS,
    REFUSAL,
    Call,
    answers_match,
    format_answer,
    format_call,
    format_error,
    format_value,
    is_refusal,
    parse_message,
)

DEEP = 9_990
PIECES = (
    "<tool_call>", "</tool_call>", "<answer>", "</answer>", "<tool_call", "tool_call>", "\n", " ", "{", "}", "[",
    "]", '"',
    '"name"', '"arguments"', ":", ",", "null", "true", "NaN", "-Infinity", "1e999", "9" * 50, "\\ud800", "\ud800",
    "\u2019",
    "\u202e", "é", "😀", "\x00", "I can't complete this task.", "cannot", "answer", '{"name": "x", "arguments": {}}',
    '{"name": "x", "arguments": {"k": "v"}}', "<|im_end|>", "<tool_response>",
)  # fmt: skip
ADVERSARIAL = {
    "empty": "",
    "deep_lists": f"<tool_call>{'[' * DEEP}{']' * DEEP}</tool_call>",
    "deep_open": f"<tool_call>{'[' * 2 * DEEP}</tool_call>",
    "deep_objects": "<tool_call>" + '{"a":' * 3_000 + "1" + "}" * 3_000 + "</tool_call>",
    "deep_arguments": '<tool_call>{"name": "x", "arguments": {"k": ' + "[" * 9_000 + "]" * 9_000 + "}}</tool_call>",
    "deep_outside": "[" * 10_000 + "]" * 10_000,
    "huge_integer": f'<tool_call>{{"name": "x", "arguments": {{"k": {"9" * 15_000}}}}}</tool_call>',
    "huge_exponent": '<tool_call>{"name": "x", "arguments": {"k": 1e999999}}</tool_call>',
    "nan": '<tool_call>{"name": "x", "arguments": {"k": NaN}}</tool_call>',
    "infinity": '<tool_call>{"name": "x", "arguments": {"k": -Infinity}}</tool_call>',
    "surrogate": '<tool_call>{"name": "\ud800", "arguments": {"\udfff": "\ud800"}}</tool_call>',
    "escaped_surrogate": '<tool_call>{"name": "\\ud800", "arguments": {}}</tool_call>',
    "unclosed": '<tool_call>{"name": "x", "arguments": {}}',
    "unopened": '{"name": "x", "arguments": {}}</tool_call>',
    "swapped": "</tool_call>{}<tool_call>",
    "nested": "<tool_call><tool_call>{}</tool_call></tool_call>",
    "many_openings": "<tool_call>" * 1_800,
    "many_answers": "<answer>" * 2_400,
    "many_calls": '<tool_call>{"name": "x", "arguments": {}}</tool_call>' * 300,
    "many_negations": "cannot " * 2_800,
    "too_long": "x" * (MAX_MESSAGE_CHARACTERS + 1),
    "null": "<tool_call>null</tool_call>",
    "duplicate_keys": '<tool_call>{"name": "x", "name": 3, "arguments": {}}</tool_call>',
}


def kinds_of(message):
    """Return which of the four classes a message belongs to: calls (well-formed or not), answer, refusal, malformed."""
    acts = bool(message.calls)
    found = {"call": acts, "answer": message.answer is not None, "refused": message.refused}
    if not any(found.values()):
        found["malformed"] = bool(message.malformed)
    return [name for name, holds in found.items() if holds]


@settings(max_examples=2_000)
@given(st.one_of(st.text(max_size=300), st.lists(st.sampled_from(PIECES), max_size=14).map("".join)))
@example("<answer></answer>")
@example("<answer>\ud800</answer>")
@example(REFUSAL + "<tool_call>")
def test_any_text_has_exactly_one_meaning(text):
    message = parse_message(text)
    assert len(kinds_of(message)) == 1
    assert not (message.malformed and message.refused), "malformed is never a refusal"
    assert not (message.malformed and message.answer is not None)
    assert all(len(reason.splitlines()) == 1 for reason in message.malformed)


@pytest.mark.parametrize("text", ADVERSARIAL.values(), ids=list(ADVERSARIAL))
def test_hostile_text_has_exactly_one_meaning(text):
    message = parse_message(text)
    assert len(kinds_of(message)) == 1
    assert not message.refused


@pytest.mark.parametrize("name", ["deep_lists", "deep_open", "deep_objects", "deep_arguments", "huge_integer", "null"])
def test_what_is_no_call_is_malformed_with_a_reason(name):
    message = parse_message(ADVERSARIAL[name])
    assert message.calls == ()
    assert message.malformed


@pytest.mark.parametrize(
    "block",
    [
        "not json", '{"name": "x"}', '{"arguments": {}}', '{"name": 3, "arguments": {}}', '["x"]', '"x"', "1", "",
        '{"name": "x", "arguments": []}', '{"name": "x", "arguments": null}', '{"name": "x", "arguments": "{}"}',
        '{"name": "x", "arguments": {"k": null}}', '{"name": "x", "arguments": {"k": ["v"]}}',
        '{"name": "x", "arguments": {"k": {}}}', '{"name": "x", "arguments": {}, "id": 1}', "{'name': 'x'}",
        '{"name": "x", "arguments": {}} trailing',
    ],
)  # fmt: skip
def test_a_block_that_is_no_call_is_malformed_and_no_refusal(block):
    message = parse_message(f"I can't complete this task. <tool_call>{block}</tool_call>")
    assert message.calls == ()
    assert len(message.malformed) == 1
    assert not message.refused


def test_a_call_is_read_with_its_arguments_in_order():
    message = parse_message('<tool_call>\n{"name": "f", "arguments": {"b": "x", "a": 3, "c": 2.5}}\n</tool_call>')
    assert message.calls == (Call("f", (("b", "x"), ("a", "3"), ("c", "2.5"))),)
    assert message.malformed == ()


def test_calls_win_over_an_answer_and_a_refusal():
    message = parse_message(format_call("f", {}) + format_answer("1") + REFUSAL)
    assert message.calls == (Call("f", ()),)
    assert message.answer is None
    assert not message.refused


def test_well_formed_and_broken_calls_of_one_message_are_both_kept():
    message = parse_message(format_call("f", {}) + "<tool_call>{</tool_call>" + format_call("g", {}))
    assert [call.name for call in message.calls] == ["f", "g"]
    assert message.malformed == ("call is not valid JSON",)


def test_calls_beyond_the_limit_are_malformed():
    message = parse_message(format_call("f", {}) * (MAX_CALLS_PER_MESSAGE + 3))
    assert len(message.calls) == MAX_CALLS_PER_MESSAGE
    assert len(message.malformed) == 1


def test_a_message_beyond_the_length_limit_is_malformed_even_with_an_answer():
    text = format_answer("1")
    assert parse_message(text + "x" * (MAX_MESSAGE_CHARACTERS - len(text))).answer == "1"
    assert parse_message(text + "x" * MAX_MESSAGE_CHARACTERS).malformed


def test_a_call_without_tags_is_malformed_and_no_refusal():
    message = parse_message('I can\'t answer yet: {"name": "f", "arguments": {}}')
    assert message.malformed == ("call outside of tool_call tags",)


@pytest.mark.parametrize("tag", ["<tool_call>", "</tool_call>", "tool_call>", "</tool_call><tool_call>"])
@pytest.mark.parametrize("text", [REFUSAL, format_answer("25")])
def test_an_unpaired_tag_is_malformed_beside_a_refusal_or_an_answer(text, tag):
    for message in (parse_message(text + tag), parse_message(tag + text)):
        assert message.malformed == ("unpaired tool_call tag",)
        assert message.answer is None
        assert not message.refused


def test_a_tag_that_only_the_removal_of_a_call_would_make_is_none():
    assert parse_message(f"tool_{format_call('f', {})}call>").malformed == ()


def test_the_last_answer_counts_without_its_spaces():
    assert parse_message("<answer>1</answer> no: <answer>\n 2 </answer>").answer == "2"


def test_a_refusal_inside_the_answer_tag_is_a_refusal():
    message = parse_message(f"<answer>{REFUSAL}</answer>")
    assert message.refused
    assert message.answer is None


@pytest.mark.parametrize(
    "text",
    [
        REFUSAL, "I cannot answer this question.", "Sorry, I am unable to find that place.", "I can\u2019t do that.",
        "It is not possible to determine the price.", "There is no way to answer this.", "I CAN NOT FINISH THIS.",
        "It's impossible to solve this without the district.", "I could not find the place you mean.",
        "I'm not able to provide a result.", "The task cannot be completed because the tool is broken.",
        "This cannot be answered with the given tools.", "Unable to complete the request: the tool is gone.",
        "I can't help with this, the condition is missing.", "I couldn't determine which place you mean.",
        "I am sorry, but I can not proceed without the name.", "It is impossible to say which place is meant.",
        "I was unable to continue after the failure.", "The question\ncan't\nbe answered.",
        "I refuse to guess the number.", "I must refuse.", "I'll decline to answer, since the tool is down.",
        "I have to decline this one.", "I do not know.", "i don't know which drug you mean",
        "We do not know the district.", "I don\u2019t have enough information.",
        "I do not have sufficient data to work this out.", "I don't have the tools for it.",
        "there is no way to know", "There is no way to tell which ward you mean.",
        "Not enough information to answer.", "There is not enough context in the question.",
        "Insufficient data.", "The question gives too little detail.", "Such a place could not be found.",
        "The dose cannot be determined.", "I can't complete this task. Let me know which place you mean.",
        "I called the tool twice, but I got an error both times, so I cannot complete this task.",
        "I tried the other tool instead, I found nothing, and I could not find the price.",
        "**Sorry!** Unfortunately, I'm unable to give a reliable figure here.", "Cannot be solved.",
    ],
)  # fmt: skip
def test_a_refusal_is_recognised(text):
    assert is_refusal(text)
    assert parse_message(text).refused
    assert parse_message(format_answer(text)).refused


@pytest.mark.parametrize(
    "text",
    [
        "I can complete this task.", "I can find the place with the tool.", "Cannot Bridge", "The answer is 42.",
        "I will not give up, let me try again.", "The canister is complete.", "Let me find the place that can help.",
        "Unable Tower", "The tool could answer in a moment.", "The tool is possible to use.", "cannot", "I can't",
        "no way",
        "I can do it. Find the answer below.", "It is possible to complete the task.", "The service is unable.",
        "The Impossible Park is open from 08:00-18:00.", "Refusal is not an option, so the price is 12.",
        "Can the tool answer? Yes.", "The place opens at nine and you can't miss it.", "I am able to answer: 25.",
        "You cannot miss the garden: it is next to the station.", "It can't hurt to try the tool again.", "",
        "I could not find it by name, so I looked it up by id", "I couldn't find it at first, but I found it by id.",
        "I was unable to determine the price with the first tool, then I used the other one.",
        "I do not know the id yet. Let me look it up.", "I don't know the price, so I will call the tool.",
        "I could not find the name; instead, I searched the district.", "I refuse to give up.",
        "I can't tell from the document alone, so I'll try both tools.",
        "I could not find a shorter way. The answer is 25.", "I cannot answer from memory. The result is: 12.5 km",
        "The name alone is not enough information, let me check the district.", "Knowing is not the same as telling.",
        "The refused parcel is at P4821.", "We declined the offer of the other tool.", "He knows no way around it.",
        "Enough information: the telephone number is 623-0412.", "I know the answer.", "Sufficient data was found.",
        "You do not need to know more.", "Decline Street 4", "I have the price: 12.", "Unknown Gate",
    ],
)  # fmt: skip
def test_tempting_words_are_no_refusal(text):
    assert not is_refusal(text)
    assert not parse_message(text).refused
    assert parse_message(format_answer(text)).answer == text


def test_an_answer_that_sounds_like_an_inability_is_still_an_answer():
    assert parse_message(format_answer("Cannot Bridge")).answer == "Cannot Bridge"


@pytest.mark.parametrize(
    ("given_answer", "gold"),
    [
        ("25", "25"), ("25.0", "25"), ("25.", "25"), ("25.00", "25"), ("1,000", "1000"), ("1,234,567.50", "1234567.5"),
        ("-3", "-3.0"), ("0.5", ".5"), (".5", "0.5"), ("007", "7"), (" 12 ", "12"), ('"12"', "12"), ("2.5e1", "25"),
        ("Kalo Bridge", "kalo bridge"), ("kalo   bridge.", "Kalo Bridge"), ("'Kalo\nBridge'", "Kalo Bridge"),
        ("623-0412", "623-0412"), ("ab1234", "AB1234"), ("08:15-16:00.", "08:15-16:00"), ("STRASSE", "straße"),
    ],
)  # fmt: skip
def test_equal_answers_match_in_every_spelling(given_answer, gold):
    assert answers_match(given_answer, gold)
    assert answers_match(gold, given_answer)


@pytest.mark.parametrize(
    ("given_answer", "gold"),
    [
        (None, "25"), ("", "25"), ("26", "25"), ("2.5", "25"), ("2,5", "25"), (".5", "5"), ("-25", "25"),
        ("25 km from 30", "25"), ("about 25 km", "25"), ("26 km", "25"), ("25 thousand", "25"), ("25k", "25"),
        ("25 km", "25 miles"), ("25", "25 km"), ("Kalo 25", "25"), ("25 %", "25"), ("25-30 minutes", "25"),
        ("08:15 hours", "08"), ("12 AB3", "12"), ("5 6", "5"), ("km 25", "25"), ("25 square kilometres", "25"),
        ("Kalo Bridge place", "Kalo Bridge"), ("P4821 id", "P4821"), ("623-0412 number", "623-0412"), ("km", "25"),
        ("1,00", "100"), ("NaN", "25"), ("Infinity", "25"), ("25 or 26", "25"), ("Kalo Bridges", "Kalo Bridge"),
        ("The Kalo Bridge", "Kalo Bridge"), ("6230412", "623-0412"), ("P4821", "4821"), ('{"value": "25"}', "25"),
        ("1e99999999999999999999", "25"), ("9" * 5000, "25"), ("\ud800", "25"),
    ],
)  # fmt: skip
def test_different_answers_do_not_match(given_answer, gold):
    assert not answers_match(given_answer, gold)


@pytest.mark.parametrize(
    "given_answer",
    [
        "25", "25.0", "25.", '"25"', "'25'", " 25 ", "25 km", "25km", "25 KM.", "25.0 minutes", '"25 crowns"', "+25",
        "25.00 mg", "25 kilomètres", "025 hours", "25. km", "25  drops",
    ],
)  # fmt: skip
def test_a_number_scores_alike_in_every_spelling_and_with_any_unit(given_answer):
    for gold in ("25", "25.0"):
        assert answers_match(given_answer, gold)


@pytest.mark.parametrize("given_answer", ["1250", "1,250", "1,250.0", "1,250 metres", "1250 m", "1.25e3"])
def test_thousands_may_be_marked(given_answer):
    assert answers_match(given_answer, "1250")


def test_nan_matches_nothing_as_a_number():
    assert not answers_match("NaN", "sNaN")
    assert not answers_match("inf", "Infinity")


@settings(max_examples=300)
@given(st.integers(-(10**12), 10**12))
def test_every_whole_number_matches_its_spellings(number):
    for spelling in (str(number), f"{number}.0", f"{number}.", f"{number:,}", f"{number:,} km", f"{number}.00 mg"):
        assert answers_match(spelling, str(number))
    assert not answers_match(str(number + 1), str(number))


@settings(max_examples=300)
@given(st.text(max_size=40), st.text(max_size=40))
def test_matching_never_raises_and_text_matches_itself(left, right):
    assert answers_match(left, right) in (True, False)
    assert answers_match(left, left)


SAFE_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)


@pytest.fixture(scope="module")
def backbone_tokenizer():
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(paths.BACKBONE)


@pytest.mark.parametrize(
    "arguments",
    [
        {}, {"place_id": "P4821", "code": "K7Q2"}, {"name": "Kalo Bridge"}, {"expression": "12*3"}, {"amount": 3,
        "b": 2.5},
        {"name": 'a "quoted" \\ text'}, {"name": "größer 😀"}, {"name": "a<b & c>d's"},
    ],
)  # fmt: skip
def test_a_formatted_call_is_what_the_chat_template_prints(backbone_tokenizer, arguments):
    call = {"type": "function", "function": {"name": "get_price", "arguments": arguments}}
    messages = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "", "tool_calls": [call]}]
    printed = backbone_tokenizer.apply_chat_template(messages, tokenize=False)
    assert printed.endswith(f"<|im_start|>assistant\n{format_call('get_price', arguments)}<|im_end|>\n")


@given(st.dictionaries(SAFE_TEXT, SAFE_TEXT, max_size=4))
def test_a_formatted_call_reads_back(arguments):
    tagged = any("tool_call>" in text for pair in arguments.items() for text in pair)
    if not tagged:
        assert parse_message(format_call("f", arguments)).calls == (Call("f", tuple(arguments.items())),)


def test_observations_are_json_objects_with_one_key():
    assert format_value("P4821") == '{"value": "P4821"}'
    assert json.loads(format_error('say "x"\n')) == {"error": 'say "x"\n'}


def test_an_error_about_a_lone_surrogate_can_be_tokenised():
    call = parse_message(ADVERSARIAL["escaped_surrogate"]).calls[0]
    assert format_error(f"unknown tool {call.name}").encode("utf-8") == b'{"error": "unknown tool \\\\ud800"}'
