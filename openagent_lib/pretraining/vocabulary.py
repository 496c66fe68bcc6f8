"""Word and phrase lists of the pre-training corpus, and what must never occur in it.

The corpus stands for "tool use in general": warehouses, ships, songs, machines and invented words. Words of the
evaluation domains are kept out (`FORBIDDEN`), and so are the surface patterns that the evaluation's shifts use
(`FORBIDDEN_PATTERNS`).
"""

import random
import re

from openagent_lib.pretraining import documents, faults, phrases
from openagent_lib.sandbox.domain import Pool

ENTITIES = (
    "invoice parcel train flight guest order refund song album artist movie actor director book author chapter "
    "course student teacher grade team player match server cluster disk backup user role token branch commit "
    "issue build recipe dish sauce plant seed animal cage keeper ship harbor crane driver truck depot sample "
    "assay mine shaft engine sensor valve pump farm field crop barn bridge tunnel tower statue painting gallery "
    "shelf item basket crate pallet machine robot drone battery cable router printer camera lens poem letter "
    "stamp coin medal trophy race horse stable saddle boat anchor sail lake forest trail cabin tent planet comet "
    "probe rocket orbit signal channel station program episode podcast lecture essay folder archive ledger "
    "account loan bond contract tenant landlord builder carpenter fabric loom thread button jacket boot helmet "
    "bicycle wheel tractor mill oven furnace kiln kettle barrel vineyard orchard beehive"
).split()

ATTRIBUTES = (
    "number label owner weight color status level region zone amount rate limit size mode type index key serial "
    "batch origin target contact email floor gate seat row lane slot link path hash tag score rank speed length "
    "width height depth volume pressure balance total quota version maker buyer seller carrier pilot captain "
    "coach editor publisher sponsor supervisor deputy successor parent sibling neighbor partner rival mentor "
    "apprentice shape texture material coating pattern flavor scent tone pitch tempo genre language script format "
    "edition warranty password username handle nickname motto slogan anthem emblem mascot flag symbol badge "
    "uniform tariff fee fare toll wage salary bonus deposit premium yield margin deadline season shift cycle "
    "phase priority severity rating capacity load power voltage current frequency bandwidth latency altitude "
    "heading draft tonnage horsepower torque mileage range lifespan density hardness purity acidity humidity "
    "brightness contrast resolution id reference barcode"
).split()

HELD_OUT_ENTITIES = (
    "violin submarine glacier puppet satellite tapestry windmill lighthouse canoe telescope cheese sculptor".split()
)
_RARE_HELD_OUT_ATTRIBUTES = (
    "curator melody ballast pigment inscription tension donor diameter alias surcharge quorum checksum".split()
)

# Everyday words: the tokenizer sees them all, so that words of domains it has never met are a few tokens; the corpus
# uses them as attributes, less the evaluation's words and the words of its own templates.
EVERYDAY = (
    "about above accept across action active actual after again against agent all allow almost alone along "
    "already also always another answer any apply area around arrive article ask available average away back bad "
    "base basic because become before begin behind believe below best better between beyond big black blue body "
    "both bottom bring broad brown business busy buy call can care carry case cause center central certain chance "
    "change check child choice choose city class clean clear close cold collect come common company compare "
    "complete condition connect consider contain continue control convert cook copy corner correct cost count "
    "country couple course cover create cross current custom cut daily danger dark data day deal decide deep "
    "define deliver demand depend describe design detail develop device different direct direction display divide "
    "document does done door double down draw drive drop during each early earth east easy eat edge effect eight "
    "either else empty end enough enter equal error even evening event ever every exact example except exchange "
    "exist expect explain express extra face fact factor fail fall family far fast father feature few figure file "
    "fill final find fine finish fire first fish five fix flat fly follow food force form forward four free fresh "
    "friend from front full function further future gain game general get give given glass go goal good great "
    "green ground group grow guide half hand happen hard have head hear heart heat heavy help here high history "
    "hold home hope hot house how human hundred idea identify image important improve in include increase "
    "information inner input inside instead interest internal into iron issue join just keep kind kitchen know "
    "land large last late later law lead learn least leave left less let lie life light like line list listen "
    "little live local long look lose lot love low machine main make manage many mark market master matter "
    "maximum may mean measure meet member memory message method middle might mile milk mind minimum minute miss "
    "mix model modern moment money month more morning most mother motion mountain move much multiply music must "
    "name narrow nation nature near need never new next night nine none normal north note nothing notice now "
    "object observe obtain occur of off offer office often oil old once one only open operate option orange other "
    "output outside over own page pair paper part pass past pattern pay people per perform period person picture "
    "piece plain plan plane play please plus point poor position possible post power present press print private "
    "problem process produce product project proper provide public pull purpose push put quality quarter question "
    "quick quiet quite raise rather reach read ready real reason receive record red reduce refer register regular "
    "relate remain remove repeat replace reply report request require reserve reset resource respond rest result "
    "return review rich right ring rise river road rock room round rule run safe sale same save say scale "
    "schedule school science sea search second section see seem select sell send separate series serve service "
    "set seven several shall share sharp shift shop short should show side sign similar simple since single site "
    "six small snow so soft some soon sort sound source south space special spread spring square stand standard "
    "star start state stay steel step still stone stop store story strong study style subject subtract such sugar "
    "summer sun supply support sure surface system table take talk tall task teach tell ten term test text than "
    "thank that the their them then there these they thing think third this those though three through throw time "
    "title to today together tomorrow too tool top touch toward town trade travel treat tree trip true try turn "
    "twelve twenty two under unit until up update upon use usual valid value variable various very view visit "
    "voice wait walk wall want warm warn watch water way weather week well west what when where which while white "
    "who whole whose why wide will wind window winter wish with within without wood word work world would write "
    "wrong year yellow yes yesterday yet you young zero hour hours minutes days weeks years price prices cost "
    "costs fees number numbers named names called given giving taking using looking finding opening closing "
    "closed starting ending holding showing returns returned television telegraph microphone headphone saxophone "
    "someone everyone anyone else alone stone phrase photo physics distinct distribute distribution distant "
    "instance substance assistant assistance entrance balance ordinary coordinate ordering strict restrict "
    "restriction predict conflict direct director directory direction story history factory victory category "
    "theory memory inventory discover discovery discuss disc count counter account accounting mount amount county "
    "percent percentage restless arrest interest restaurant aunt want servant merchant elephant giant patient "
    "client ancient efficient science document department apartment treatment statement payment moment element "
    "equipment government environment measure measurement prescribe describe subscribe script description "
    "prescription translation nation station relation operation information action section session mission "
    "version vision decision division position condition addition edition tradition function junction dose rose "
    "nose close those purpose age page image stage usage message package passage village storage average manage "
    "damage ward toward forward reward award warden hard card board yard standard guard inward nurse purse course "
    "source resource force symptom system symbol sympathy synonym diagnose diagram dialogue analysis basis crisis "
    "thesis clinic clinical medical musical typical critical logical physical practical technical medicine "
    "machine routine engine online outline deadline discipline hospital capital digital total vital metal mental "
    "rental final signal normal formal personal national regional original therapy happy copy occupy pharmacy "
    "privacy policy agency frequency currency emergency tendency efficiency allergy energy latitude longitude "
    "attitude altitude gratitude solution institution attribute contribute tribute museum aquarium stadium "
    "premium medium calcium minimum maximum album cafe safe giraffe library grocery bakery gallery battery "
    "delivery recovery street avenue square building market theatre cinema pool gym bank post shop store school "
    "college university club restaurant north northern south southern east eastern west western central nearby "
    "nearest between from until inside outside location nearly clearly usually quickly really finally early daily "
    "weekly monthly yearly only family supply apply reply multiply imply travelled walked talked asked needed "
    "wanted listed stored stated ordered offered entered covered registered answered considered person persons "
    "people customer customers member members owner visitor visitors manager worker writer reader speaker helper "
    "blood heart brain muscle bone skin body weight height fever pulse pressure oxygen test tests result results "
    "rate rates level room rooms bed beds floor unit units treatment record records report chart visit visits "
    "ready open free busy full empty"
).split()

FORBIDDEN = (
    "place telephone phone district category coordinates coordinate opening hours distance travel discount "
    "discounted latitude longitude restaurant cafe museum hotel patient drug dose dosage ward doctor nurse "
    "medical medicine hospital clinic diagnosis symptom prescription therapy pharmacy overloaded licence license "
    "price library bakery cinema market garden poi rebate arithmetic"
).split()
FORBIDDEN_PATTERNS = (
    r"\b[Tt]ool_\w{4}\b",
    r"temporarily overloaded",
    r"send the same call again",
    r"opening hours",
    r"travel time",
    r"\b[Tt]he value is\b",
    r"approval number",
    r"administration window",
    r"Traceback \(most recent call last\)",
)

# Harmless alone, so the templates may use them, but never attributes: parts of the evaluation's noun phrases, its keys
# and its hints, and what joins the names of its merged tools.
_WORDS_OF_THE_EVALUATION = (
    "body params bindings batch number approval administration window standard entry telephone opening id bottle "
    "several substance currency directory family night photo venue remedy preparation after plus using into full"
).split()


TEMPLATES = tuple(
    value for room in (documents, phrases, faults) for value in vars(room).values() if isinstance(value, Pool)
)
"""Every pool of templates of the corpus."""


def _template_words(*names: str) -> set[str]:
    texts = [re.sub(r"\{\w+\}", " ", text.lower()) for pool in TEMPLATES for name in names for text in pool[name]]
    return {word for text in texts for word in re.findall(r"[a-z]+", text)}


def _common_words() -> list[str]:
    """Return the everyday words that can stand for an attribute, each once, in alphabetical order."""
    taken = {*FORBIDDEN, *_WORDS_OF_THE_EVALUATION, *ENTITIES, *HELD_OUT_ENTITIES, *_template_words("train", "test")}
    taken |= {f"{word}s" for word in taken} | {*ATTRIBUTES, *_RARE_HELD_OUT_ATTRIBUTES}
    return [word for word in sorted(set(EVERYDAY)) if len(word) > 3 and word not in taken]


_COMMON = _common_words()
HELD_OUT_SHARE = 12
TRAINING_ATTRIBUTES = (
    *(word for word in ATTRIBUTES if word not in _WORDS_OF_THE_EVALUATION),
    *(word for index, word in enumerate(_COMMON) if index % HELD_OUT_SHARE),
)
HELD_OUT_ATTRIBUTES = (*_RARE_HELD_OUT_ATTRIBUTES, *_COMMON[::HELD_OUT_SHARE])

# Words between the meaning ones of scrambled sentences.
FILLERS = tuple(
    sorted(_template_words("train") - {*TRAINING_ATTRIBUTES, *ENTITIES, *FORBIDDEN, *_WORDS_OF_THE_EVALUATION})
)

# Everyday words that may stand anywhere in a disturbed sentence and say nothing.
NOISE = tuple(
    sorted({*EVERYDAY} - {*FORBIDDEN, *_WORDS_OF_THE_EVALUATION, *HELD_OUT_ATTRIBUTES, *HELD_OUT_ENTITIES, "value"})
)

_CONSONANTS = "b c d f g h k l m n p r s t v w z b d f g k l m n p r s t br dr gl kr pl st tr sh ch".split()
_VOWELS = "a e i o u a e i o u a e i o u ai ea ou".split()
_CODAS = ("", "", "", "n", "r", "l", "s", "m", "t")


def invented_word(random_source: random.Random, shortest: int = 2, longest: int = 3) -> str:
    """Invent a pronounceable lower-case word of `shortest` to `longest` syllables that is not forbidden."""
    while True:
        count = min(random_source.randint(shortest, longest), random_source.randint(shortest, longest))
        parts = [random_source.choice(_CONSONANTS) + random_source.choice(_VOWELS) for _ in range(count)]
        text = "".join(parts) + random_source.choice(_CODAS)
        if text not in FORBIDDEN:
            return text


_KNOWN = {*FORBIDDEN, *_WORDS_OF_THE_EVALUATION, *HELD_OUT_ATTRIBUTES, *HELD_OUT_ENTITIES}
_SINGLE = tuple(word for word in TRAINING_ATTRIBUTES if word.isalpha() and len(word) > 4)


def coined_word(random_source: random.Random) -> str:
    """Coin a lower-case word: syllables, the beginning of one word with the end of another, or random letters.

    Invented syllables alone are cut into the same few tokens over and over; real words that the corpus never held
    are not.
    """
    while True:
        kind = random_source.random()
        if kind < 0.45:
            return invented_word(random_source)
        if kind < 0.9:
            first, second = random_source.choice(_SINGLE), random_source.choice(_SINGLE)
            text = (
                first[: random_source.randint(2, len(first) - 2)] + second[random_source.randint(2, len(second) - 2) :]
            )
        else:
            text = "".join(random_source.choices("abcdefghijklmnopqrstuvwxyz", k=random_source.randint(3, 7)))
        if text not in _KNOWN and text.rstrip("s") not in _KNOWN and len(text) > 2:
            return text
