"""Tools of the medical world that have nothing to do with any question: near misses about drugs.

Assumption: ours.
"""

from openagent_lib.sandbox.domain import DecoyText, Pool

DECOYS = Pool(
    train=(
        DecoyText("storage_warmth", "Finds how warm a drug may be stored when you know the drug code.", "drug_code"),
        DecoyText("label_colour", "Give it a drug code and it tells you the colour of the label.", "drug_code"),
        DecoyText("supplier_of_drug", "Use it to learn which supplier brings a drug. You need its name.", "drug_name"),
        DecoyText(
            "expiry_of_drug", "Finds the month in which a drug expires when you know the drug code.", "drug_code"
        ),
        DecoyText("pack_size", "Give it a drug code and it tells you how many tablets are in a pack.", "drug_code"),
        DecoyText("taste_of_drug", "For every drug name there is a note on its taste; this finds it.", "drug_name"),
        DecoyText(
            "leafletLanguage", "Use it to learn in which language the leaflet of a drug is written.", "drug_name"
        ),
        DecoyText("packs_left", "Finds how many packs of a drug are left in the cellar.", "drug_code"),
        DecoyText("ward_sister", "Give it a ward and it tells you who leads the nurses there.", "ward_name"),
        DecoyText("tabletShape", "For every drug code there is a tablet shape; this finds it.", "drug_code"),
        DecoyText("class_colour", "Use it to learn the colour of the drawer for a drug class.", "drug_class"),
        DecoyText("reorder_level", "Finds the number of packs at which a drug is ordered again.", "drug_code"),
    ),
    test=(
        DecoyText("fridge-needed", "Must a medicine stay cold? Send its code for a yes or no.", "item_code"),
        DecoyText("capColour", "Bottle caps differ in colour, on view here by medicine.", "item_name"),
        DecoyText("maker_address", "To write to the maker of a medicine, see the address under its name.", "item_name"),
        DecoyText(
            "delivery-weekday", "On which weekday does the van bring new packs? Item code in, weekday out.", "item_code"
        ),
        DecoyText("boxWeight", "Weight of a full box in grams, for the lift.", "item_code"),
        DecoyText("trial_author", "Whoever first studied a medicine is named here.", "item_name"),
        DecoyText(
            "waste_bin", "Old medicines go into one of several bins; which one depends on the code.", "item_code"
        ),
        DecoyText("shelf-row", "Row of the cellar shelf, for staff who carry boxes.", "item_code"),
        DecoyText("nurseOnCall", "Who answers the bell on a ward tonight? A staff name is the reply.", "unit_name"),
        DecoyText("brochure_pages", "The leaflet in the box has a number of pages, counted here.", "item_name"),
        DecoyText("glass_type", "Kind of glass of which the bottle is made.", "item_code"),
        DecoyText("tax-group", "For the bookkeeper: the tax group into which a medicine falls.", "item_code"),
    ),
)
