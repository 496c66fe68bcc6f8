"""The tools of the world of places and their swapped forms.

Paper: section 4.1 and Figure 3 (Name -> Tel., a rule that multiplies); official README, verification codes.
Assumption: names, documents and codes are ours.
"""

from openagent_lib.sandbox.domain import InvertedText, Pool, ToolText

TOOLS: tuple[ToolText, ...] = (
    ToolText(
        "find",
        "find_place",
        "Takes the name of a place and returns its place id, which the other look-ups need.",
        ("name",),
        "the name of a place",
        "the place id",
        names=Pool(
            ("place_to_id", "resolveSpot", "id-lookup", "fetch_place_key"),
            ("locate_poi", "siteIdentifier", "match-site-name", "who_is_meant"),
        ),
        descriptions=Pool(
            train=(
                "Returns the place id for the name of a place. Most other look-ups need this id.",
                "Finds a place by its name and gives its id for further look-ups.",
                "Use it first when only the name of a place is known. It returns the place id.",
                "Looks up which place id belongs to the name of a place.",
            ),
            test=(
                "Identifies a place from what it is called, replying with the id under which it is stored.",
                "Starting point for any question that mentions a place by name: the reply is its id.",
                "Hand over what a place is called to learn the id that the remaining services ask for.",
                "Knows every place by name, responding with the matching id. No id is required beforehand.",
            ),
        ),
    ),
    ToolText(
        "search",
        "search_places",
        "Takes a category and a district and returns the name of the place there. It gives no id.",
        ("category", "district"),
        "a category and a district",
        "the name of a place",
        names=Pool(
            ("filter_spots", "scanArea", "places-by-category", "spot_in_district"),
            ("browse_zone", "venueFinder", "query-by-kind", "local_directory"),
        ),
        descriptions=Pool(
            train=(
                "Returns the name of the place of a category in a district. It gives a name, not an id.",
                "Finds the place of a given category in a given district and returns its name.",
                "Use it when no name is known, only a category and a district. It returns the name.",
                "Looks in a district for one category of place and gives the name found there.",
            ),
            test=(
                "Names the one place of the wanted kind within a part of town. Kind and district must both be stated.",
                "For questions that describe a place by kind and district instead of naming it; the reply is the name.",
                "Scans a part of town for a kind of place, replying with what that place is called.",
                "State a kind of place plus its district to hear what it is called. Ids are not included.",
            ),
        ),
    ),
    ToolText(
        "nearest",
        "nearest_place",
        "Takes a place id and returns the place id of the nearest other place. Needs the id, not the name.",
        ("place_id",),
        "a place id",
        "the place id of the nearest other place",
        names=Pool(
            ("next_place", "closestSpot", "place-nearby", "get_neighbour"),
            ("adjacent_site", "whatIsNextDoor", "neighbouring-venue", "proximity_query"),
        ),
        descriptions=Pool(
            train=(
                "Returns the id of the other place nearest to a place. Needs the place id, not the name.",
                "Finds which other place is nearest and gives its place id. It takes a place id.",
                "Takes the id of one place and returns the id of the nearest other one.",
                "Looks around one place for the nearest other place. Both are given as place ids.",
            ),
            test=(
                "Picks out the closest neighbour of a place, replying with its id. An id must be supplied.",
                "Who is next door? Supply one id to receive the id of the closest neighbour.",
                "Points from a place to whichever other place lies closest, both of them expressed as ids.",
                "Discovers, for an id already known, the id of the site with the shortest way to it.",
            ),
        ),
    ),
    ToolText(
        "get_contact",
        "get_telephone",
        "Takes a place id and returns the telephone number. Needs the id, not the name.",
        ("place_id",),
        "a place id",
        "the telephone number",
        names=Pool(
            ("phone_of", "fetchDial", "phone-number", "telephone_lookup"),
            ("contact_line", "readHotline", "ring-up-details", "voice_channel"),
        ),
        descriptions=Pool(
            train=(
                "Returns the telephone number of a place, to call it. Needs the place id, not the name.",
                "Gives the number on which a place can be called. It takes the place id.",
                "Looks up the telephone number for a place id.",
                "Use it to get the phone number of a place. Find the place id first.",
            ),
            test=(
                "Tells which line rings at a place. An id has to be supplied; names are not understood.",
                "For anyone who wishes to ring a place up: replies with its phone line under a known id.",
                "Phone book of all places, sorted by id. Each entry is the number to dial.",
                "Supply an id to hear how the place is reached by phone.",
            ),
        ),
        code="K7Q2",
    ),
    ToolText(
        "get_permit",
        "get_licence",
        "Takes a place id and returns the licence number. Needs the id, not the name.",
        ("place_id",),
        "a place id",
        "the licence number",
        names=Pool(
            ("permit_of", "fetchPermit", "licence-number", "licence_lookup"),
            ("registry_mark", "readAuthorisation", "operating-approval", "legal_clearance"),
        ),
        descriptions=Pool(
            train=(
                "Returns the licence number of a place, as issued by the town. Needs the place id, not the name.",
                "Gives the number of the licence under which a place is run. It takes the place id.",
                "Looks up the licence number for a place id.",
                "Use it to check the permit of a place; it returns the licence number. Find the place id first.",
            ),
            test=(
                "Tells under what permit a place may operate. An id has to be supplied; names are not understood.",
                "Public list of permits held by places: one id in, one licence number out.",
                "For inspectors: replies with the reference of the permit granted to the place under a known id.",
                "Supply an id to hear which licence the authorities granted.",
            ),
        ),
    ),
    ToolText(
        "get_window",
        "get_opening_hours",
        "Takes a place id and returns the opening hours. Needs the id, not the name.",
        ("place_id",),
        "a place id",
        "the opening hours",
        names=Pool(
            ("hours_of", "fetchSchedule", "open-times", "open_and_close"),
            ("visit_window", "readTimetable", "doors-open-when", "admission_period"),
        ),
        descriptions=Pool(
            train=(
                "Returns the opening hours of a place, to plan a visit. Needs the place id, not the name.",
                "Gives the hours at which a place opens and closes. It takes the place id.",
                "Looks up the opening hours for a place id.",
                "Use it to see when a place is open. Find the place id first.",
            ),
            test=(
                "Tells from when until when visitors are let in. An id has to be supplied; names are not understood.",
                "Daily timetable of a place, from unlocking to closing the doors, under a known id.",
                "Supply an id to hear during which part of the day the doors stand open.",
                "For anyone who plans a visit: replies with start and end of the visiting day under a known id.",
            ),
        ),
    ),
    ToolText(
        "get_area",
        "get_district",
        "Takes a place id and returns the district. Needs the id, not the name.",
        ("place_id",),
        "a place id",
        "the district",
        names=Pool(
            ("area_of", "fetchQuarter", "part-of-town", "district_lookup"),
            ("borough_reader", "readNeighbourhood", "city-section", "which_locality"),
        ),
        descriptions=Pool(
            train=(
                "Returns the district in which a place lies. Needs the place id, not the name.",
                "Gives the part of town of a place. It takes the place id.",
                "Looks up the district for a place id.",
                "Use it to see in which district a place is. Find the place id first.",
            ),
            test=(
                "Tells what neighbourhood a place belongs to. An id has to be supplied; names are not understood.",
                "Supply an id to hear in what quarter of the city the place stands.",
                "Directory of city quarters, sorted by the ids of the places that stand in them.",
                "For anyone who asks whereabouts a place is: replies with its borough under a known id.",
            ),
        ),
    ),
    ToolText(
        "get_amount",
        "get_price",
        "Takes a place id and returns the entry price. Needs the id, not the name.",
        ("place_id",),
        "a place id",
        "the entry price",
        names=Pool(
            ("fee_of", "fetchCost", "ticket-price", "entry_price_lookup"),
            ("entrance_rate", "readCharge", "admission-tariff", "cost_at_door"),
        ),
        descriptions=Pool(
            train=(
                "Returns the entry price of a place for one person. Needs the place id, not the name.",
                "Gives what one ticket for a place costs, before any discount. It takes the place id.",
                "Looks up the entry price for a place id.",
                "Use it to see what entry to a place costs. Find the place id first.",
            ),
            test=(
                "Tells what one visitor is charged at the door. An id has to be supplied; names are not understood.",
                "Full admission charge of a place, nothing taken off, under a known id.",
                "Supply an id to hear how much one admission costs.",
                "For anyone who wishes to get in: replies with the ticket fee under a known id.",
            ),
        ),
        code="M3X9",
    ),
    ToolText(
        "gap",
        "compute_distance",
        "Takes two place ids and returns the distance between the places in kilometres.",
        ("origin_id", "destination_id"),
        "two place ids",
        "the distance in kilometres",
        names=Pool(
            ("gap_between", "measureKm", "distance-of-two", "place_distance"),
            ("how_far", "spanOfPair", "separation-length", "mileage_meter"),
        ),
        descriptions=Pool(
            train=(
                "Returns the distance between two places in kilometres. Needs both place ids, not the names.",
                "Gives how many kilometres lie between two places. It takes the two place ids.",
                "Measures the distance from one place id to another, in kilometres.",
                "Use it to see how far apart two places are. Find both place ids first.",
            ),
            test=(
                "Tells how many kilometres separate a start from a goal. Ids have to be supplied for the two of them.",
                "Length in kilometres of the straight line that joins a pair of places, both stated as ids.",
                "Supply a pair of ids to hear how long the way is, in kilometres.",
                "For route planning: replies with the kilometres that lie between one id and a second one.",
            ),
        ),
    ),
    ToolText(
        "convert_gap",
        "estimate_travel_time",
        "Takes a distance and returns the travel time in minutes, which is distance x {factor}.",
        ("distance",),
        "a distance in kilometres",
        "the travel time in minutes",
        names=Pool(
            ("trip_minutes", "rideLength", "travel-minutes", "distance_to_time"),
            ("journey_duration", "transitEta", "time-on-road", "trek_timer"),
        ),
        descriptions=Pool(
            train=(
                "Returns the travel time in minutes for a distance, which is distance x {factor}.",
                "Gives how many minutes a trip takes: distance x {factor}. Find the distance first.",
                "Turns a distance in kilometres into minutes of travel, computed as distance x {factor}.",
                "Use it to get the travel time for a distance. The minutes are distance x {factor}.",
            ),
            test=(
                "Tells how long a trip lasts. Minutes equal kilometres times {factor}; get the kilometres beforehand.",
                "Length of a journey becomes time here: every kilometre counts for {factor} minutes.",
                "Estimates time on the road at {factor} minutes per kilometre supplied.",
                "For timetables: the kilometres supplied, multiplied by {factor}, make the minutes on the way.",
            ),
        ),
        factor=3.0,
    ),
    ToolText(
        "reduce_amount",
        "apply_discount",
        "Takes an amount and returns the amount after the discount, which is amount x {factor}.",
        ("amount",),
        "an amount",
        "the amount after the discount",
        names=Pool(
            ("lower_price", "cutCost", "price-after-discount", "discounted_amount"),
            ("rebate", "voucherRate", "knock-off", "markdown_sum"),
        ),
        descriptions=Pool(
            train=(
                "Returns the price after the discount, which is amount x {factor}.",
                "Gives the discount price for a full price: amount x {factor}. Find the full price first.",
                "Takes the discount off an amount, computed as amount x {factor}.",
                "Use it to get a discount price. The result is amount x {factor}.",
            ),
            test=(
                "Tells what remains to pay with a voucher, namely {factor} times the full charge supplied.",
                "Lowers a full charge the way a voucher does: whatever sum is supplied gets multiplied by {factor}.",
                "Reduced rate for a sum already known; each unit of it counts for {factor}.",
                "For members with money off: the sum supplied, times {factor}, is what they owe.",
            ),
        ),
        factor=0.5,
    ),
    ToolText(
        "convert_amount",
        "convert_price",
        "Takes an amount and returns it in crowns, the regional currency, which is amount x {factor}.",
        ("amount",),
        "an amount",
        "the amount in crowns",
        names=Pool(
            ("to_crowns", "changeMoney", "price-in-crowns", "currency_convert"),
            ("exchange_bureau", "regionalValue", "crown-equivalent", "forex_rate"),
        ),
        descriptions=Pool(
            train=(
                "Returns a price in crowns, the regional currency, which is amount x {factor}.",
                "Gives an amount in crowns: amount x {factor}. Find the price first.",
                "Turns a price into crowns, computed as amount x {factor}.",
                "Use it to get a price in the regional currency. The crowns are amount x {factor}.",
            ),
            test=(
                "Tells how many crowns a sum is worth: one unit buys {factor} of them.",
                "Currency exchange at a fixed rate of {factor} crowns per unit supplied.",
                "Restates a sum already known in regional money, multiplying it by {factor}.",
                "For visitors who pay in crowns: the sum supplied, times {factor}, is what they hand over.",
            ),
        ),
        factor=1.2,
    ),
    ToolText(
        "calculate",
        "calculate",
        "Takes an arithmetic expression with + - * / and brackets and returns its value.",
        ("expression",),
        "an arithmetic expression",
        "the value of the expression",
        names=Pool(
            ("eval_math", "doSums", "work-out", "expression_value"),
            ("sum_solver", "numberCruncher", "figure-it-out", "reckon_line"),
        ),
        descriptions=Pool(
            train=(
                "Returns the value of an arithmetic expression with numbers and the signs + - * /.",
                "Adds, subtracts, multiplies or divides numbers that are written as one expression.",
                "Works out an arithmetic expression and gives the number.",
                "Use it for sums with plain numbers. It takes one expression, not words.",
            ),
            test=(
                "General arithmetic on plain figures, typed as a line with plus, minus, times and divide signs.",
                "Tells what a line of arithmetic comes to. Only figures, brackets and operators are understood.",
                "Pocket calculator for totals and differences; supply the whole sum as a single line.",
                "For any reckoning that has no service of its own: figures joined by operators yield their result.",
            ),
        ),
    ),
)
INVERTED: dict[str, InvertedText] = {
    "find": InvertedText(
        "place_id",
        Pool(
            train=(
                "Takes a place id and returns the name of the place.",
                "Returns the name that belongs to a place id. Needs the id, not the name.",
                "Gives the name of a place when its id is known.",
            ),
            test=(
                "Tells what the place under a given id is called.",
                "Supply an id to hear the name by which people know the place.",
                "Door sign service: an id comes in, the name on the sign goes out.",
            ),
        ),
    ),
    "get_contact": InvertedText(
        "telephone",
        Pool(
            train=(
                "Takes a telephone number and returns the place id.",
                "Returns the id of the place that has this telephone number.",
                "Looks up the place id for a telephone number. Needs the number, not the id.",
            ),
            test=(
                "Tells which place, stated as an id, picks up when a phone number is dialled.",
                "Reverse phone book: supply a number to hear the id of the place where it rings.",
                "For a caller of unknown origin: turns the number on the display into an id.",
            ),
        ),
    ),
    "get_permit": InvertedText(
        "licence",
        Pool(
            train=(
                "Takes a licence number and returns the place id.",
                "Returns the id of the place that has this licence number.",
                "Looks up the place id for a licence number. Needs the number, not the id.",
            ),
            test=(
                "Tells to which place, stated as an id, a permit was granted.",
                "Reverse list of permits: supply a licence number to hear the id of its holder.",
                "For a permit found without an owner: traces its number back to an id.",
            ),
        ),
    ),
}
