"""The medical world: anonymised drugs in the pharmacy of an invented hospital; nothing in it is real or advice.

Paper: section 3.2 (a domain shift), section 4.1 (anonymised entities).
Assumption: the domain, its words and its value formats are ours.
"""

from openagent_lib.sandbox.domain import Domain, EntityFormat
from openagent_lib.sandbox.domains.medical.decoys import DECOYS
from openagent_lib.sandbox.domains.medical.queries import QUERIES
from openagent_lib.sandbox.domains.medical.rewordings import (
    BLURRED_ATTRIBUTES,
    BLURRED_QUERIES,
    INVERTED_QUERIES,
    VAGUE,
)
from openagent_lib.sandbox.domains.medical.tools import INVERTED, TOOLS

MEDICAL = Domain(
    name="medical",
    entities=EntityFormat(
        categories=(
            "sedative",
            "tonic",
            "relaxant",
            "stimulant",
            "painkiller",
            "digestive",
            "laxative",
            "coagulant",
        ),
        syllables=tuple("zu kre wim fal pe gur yo rul noz tez chu sko vun ji lam bri os ul hes dov".split()),
        endings=("-lin", "-rol", "-vate", "-zide", "-tan", "-nil", "-dex", "-mone", "-xin", "-phan"),
        id="D-#####",
        contact="@##-###",
        permit="##/@@##",
        amount=(65, 480),
        extent=40,
    ),
    tools=TOOLS,
    attributes={
        "contact": "batch number",
        "permit": "approval number",
        "window": "administration window",
        "area": "ward",
        "amount": "standard dose",
    },
    queries=QUERIES,
    inverted=INVERTED,
    inverted_queries=INVERTED_QUERIES,
    blurred_queries=BLURRED_QUERIES,
    blurred_attributes=BLURRED_ATTRIBUTES,
    vague=VAGUE,
    decoys=DECOYS,
)
"""Drugs are found by drug code; the gap is the minimum interval in hours, the amount is the standard dose in mg."""
