"""The world of points of interest: anonymised places, where to find them and what it costs to enter.

Paper: section 4.1, geographic look-ups plus computation questions; Figure 3 (Name -> Tel., a rule that multiplies).
Assumption: the words and the formats of values are ours.
"""

from openagent_lib.sandbox.domain import Domain, EntityFormat
from openagent_lib.sandbox.domains.poi.decoys import DECOYS
from openagent_lib.sandbox.domains.poi.queries import QUERIES
from openagent_lib.sandbox.domains.poi.rewordings import BLURRED_ATTRIBUTES, BLURRED_QUERIES, INVERTED_QUERIES, VAGUE
from openagent_lib.sandbox.domains.poi.tools import INVERTED, TOOLS

POI = Domain(
    name="poi",
    entities=EntityFormat(
        categories=("museum", "library", "bakery", "cinema", "pharmacy", "hotel", "market", "garden"),
        syllables=tuple("ka lo mi ren tor vel da shi pon gra bel nu sar fi dro han wes cal mun jor".split()),
        endings=("Bridge", "Square", "Tower", "Station", "Park", "Gate", "Hill", "Court", "Corner", "Yard"),
        id="P####",
        contact="###-####",
        permit="@@####",
        amount=(4, 60),
        extent=40,
    ),
    tools=TOOLS,
    attributes={
        "contact": "telephone number",
        "permit": "licence number",
        "window": "opening hours",
        "area": "district",
        "amount": "entry price",
    },
    queries=QUERIES,
    inverted=INVERTED,
    inverted_queries=INVERTED_QUERIES,
    blurred_queries=BLURRED_QUERIES,
    blurred_attributes=BLURRED_ATTRIBUTES,
    vague=VAGUE,
    decoys=DECOYS,
)
