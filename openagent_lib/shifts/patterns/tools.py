"""Other names, keys, codes, factors and documents of tools.

Paper: Figure 3, the key `args` of a call and a rule that multiplies by 0.2 instead.
Assumption: everything else; the paper's words are unknown.
"""

from openagent_lib.sandbox.domain import DecoyText, Pool

FOREIGN_TOOLS = Pool(
    train=(
        DecoyText("get_weather", "Returns the weather forecast of a city for the next days.", "city"),
        DecoyText("send_email", "Sends an e-mail with the given text to the saved receivers.", "mail_text"),
        DecoyText("add_event", "Adds an event to the calendar of the user.", "event"),
        DecoyText("translate_text", "Translates a sentence into English.", "sentence"),
        DecoyText("get_headlines", "Returns the newest headlines about a topic.", "topic"),
        DecoyText("read_file", "Returns the content of a text file.", "file_path"),
        DecoyText("delete_file", "Deletes a file from the disk.", "file_name"),
        DecoyText("list_folder", "Lists the files in a folder.", "folder"),
        DecoyText("turn_on_light", "Turns on the light in a room of the house.", "room"),
        DecoyText("play_song", "Plays a song on the speaker.", "song"),
        DecoyText("set_alarm", "Sets the alarm clock of the user.", "time"),
        DecoyText("get_recipe", "Returns a recipe for a dish.", "dish"),
        DecoyText("check_spelling", "Checks the spelling of a text and returns the corrected text.", "draft"),
        DecoyText("define_word", "Returns the meaning of an English word.", "word"),
        DecoyText("get_stock_news", "Returns news about the shares of a company.", "company"),
        DecoyText("make_password", "Makes a new password of the wanted strength.", "strength"),
        DecoyText("resize_image", "Makes an image smaller and returns the new file.", "image"),
        DecoyText("save_note", "Saves a short note for later.", "note"),
        DecoyText("start_timer", "Starts a kitchen timer.", "countdown"),
        DecoyText("get_movie_plot", "Returns the story of a film in a few sentences.", "film"),
        DecoyText("get_match_result", "Returns the result of the last match of a team.", "team"),
        DecoyText("track_parcel", "Tells where a parcel is on its way.", "parcel"),
        DecoyText("detect_language", "Tells in which language a text is written.", "passage"),
        DecoyText("set_heating", "Sets the temperature of the living room.", "temperature"),
        DecoyText("make_summary", "Returns a short summary of a long text.", "long_text"),
        DecoyText("get_lyrics", "Returns the words of a song.", "song_title"),
    ),
    test=(
        DecoyText("rain_radar", "Radar picture of the clouds above a chosen part of the map.", "map_part"),
        DecoyText("inbox_filter", "Sort incoming e-mail into folders according to a rule.", "filter_rule"),
        DecoyText("meeting_planner", "Invite colleagues to a meeting and block their calendars.", "invitation"),
        DecoyText("subtitleWriter", "Produces subtitles for a video clip.", "clip_url"),
        DecoyText("currency_news", "Commentary on how a currency moved yesterday.", "currency"),
        DecoyText("archive-packer", "Pack a directory into a compressed archive.", "directory"),
        DecoyText("robot_vacuum", "Send the vacuum robot through one storey of a home.", "storey"),
        DecoyText("blinds_control", "Raise or lower the window blinds at home.", "blind_setting"),
        DecoyText("podcastTips", "Suggests podcasts that match a mood.", "mood"),
        DecoyText("synonym_list", "Words that mean nearly the same as a headword.", "headword"),
        DecoyText("grammar_coach", "Explains grammar mistakes in a paragraph.", "paragraph"),
        DecoyText("photo-tagger", "Describe in keywords what can be seen in a photograph.", "photo"),
        DecoyText("voice_reader", "Read something aloud and store the recording.", "narration"),
        DecoyText("qrMaker", "Draws a QR picture for a web address.", "web_link"),
        DecoyText("chess_advisor", "Propose a strong move for a chess position.", "chess_layout"),
        DecoyText("palette_designer", "Matching colours around a base colour.", "base_colour"),
        DecoyText("flight_delays", "Says whether a flight leaves on time or late.", "flight_no"),
        DecoyText("novelFinder", "Recommends novels to admirers of a certain writer.", "favourite_writer"),
        DecoyText("workout_plan", "Draft a week of exercises towards a fitness goal.", "fitness_aim"),
        DecoyText("plant-care", "Watering advice for green things on the window sill.", "house_plant"),
        DecoyText("crossword_help", "Solutions that fit a crossword clue.", "clue"),
        DecoyText("clipboard_copy", "Put a snippet on the clipboard.", "snippet"),
        DecoyText("pdfPrinter", "Turn an office document into a PDF.", "office_document"),
        DecoyText("playlist_mixer", "Mix a playlist in the style of a decade.", "decade"),
        DecoyText("status_post", "Publish an update on the user's public profile.", "update_text"),
        DecoyText("screen_lock", "Lock the screen of a paired device.", "paired_device"),
        DecoyText("star_guide", "Constellations visible on a given night.", "night"),
    ),
)
"""Tools of worlds that no task is about."""

CALL_KEYS = Pool(
    train=("inputs", "payload", "values", "options", "fields"),
    test=("args", "params", "kwargs", "bindings", "body"),
)
"""Other words for the key `arguments` of a call. Paper: Figure 3 for `args`."""

PARAMETER_KEYS: dict[str, Pool] = {
    "name": Pool(
        train=("target", "title", "label", "subject", "item_name", "called"),
        test=("subject_name", "designation", "entity_name", "lookup_text", "wanted_entry", "spelled_as"),
    ),
    "other_name": Pool(
        train=("second_target", "other_title", "second_label", "other_subject", "compared_item"),
        test=("counterpart_name", "companion_entity", "versus", "opposite_entry", "paired_with"),
    ),
    "category": Pool(
        train=("kind", "type", "group", "sort", "class_name"),
        test=("classification", "variety", "family", "grouping", "belongs_among"),
    ),
    "area": Pool(
        train=("zone", "region", "sector", "part", "within"),
        test=("locale", "whereabouts", "vicinity", "surroundings", "enclosing_unit"),
    ),
    "id": Pool(
        train=("ref", "key", "record", "identifier", "uid"),
        test=("record_key", "object_ref", "entry_handle", "pointer", "register_no"),
    ),
    "other_id": Pool(
        train=("other_ref", "second_key", "second_record", "other_identifier", "second_uid"),
        test=("peer_key", "linked_ref", "far_handle", "companion_pointer", "adjacent_no"),
    ),
    "amount": Pool(
        train=("sum", "figure", "quantity", "base", "number"),
        test=("numeric_input", "raw_magnitude", "operand", "starting_worth", "count_before"),
    ),
    "gap": Pool(
        train=("span", "separation", "spread", "gap_size", "stretch"),
        test=("how_far_apart", "spacing", "measured_difference", "offset_between", "extent_from_to"),
    ),
    "expression": Pool(
        train=("math", "terms", "problem", "to_solve", "sum_text"),
        test=("equation", "computation", "operation_string", "calc_line", "worked_out"),
    ),
    "contact": Pool(
        train=("known_value", "lookup_value", "given", "mark", "search_value"),
        test=("matching_detail", "trace", "known_feature", "evidence", "exact_wording"),
    ),
    "permit": Pool(
        train=("proof", "paper", "certificate", "token", "stamp"),
        test=("registration", "approval_text", "authority_ref", "clearance", "granted_no"),
    ),
}
"""Other argument keys by slot. No key stands twice in the table, so that those of one call always differ."""

CODE_PATTERNS = Pool(
    train=("@@##", "##@@", "#@#@", "@@@#", "#@@#", "@##@", "###@"),
    test=("@@#-#@@", "##-@@@", "@###@@#", "#@@-#@", "@@@@##", "##@@@##", "@#-@#-@"),
)
"""Patterns of verification codes: `#` is a digit, `@` a capital letter, the rest is itself."""

MERGED_DOCUMENTS = Pool(
    train=(
        "Takes {takes} and returns {returns} in one step.",
        "Returns {returns} straight from {takes}.",
        "Gives {returns} when you pass {takes}. No other call is needed.",
        "Short way from {takes} to {returns}, all in one call.",
        "Input: {takes}. Output: {returns}. Does all steps at once.",
        "Use this to get {returns} directly; pass {takes}.",
        "Finds {returns}. Needs only {takes}.",
        "Does the whole way for you: send {takes} and get {returns}.",
        "One call that reads {takes} and finds {returns}.",
    ),
    test=(
        "Skips the middle stage: supply {takes}, obtain {returns}.",
        "Reports {returns}, starting right at {takes} without an intermediate request.",
        "All-in-one endpoint which accepts {takes} and responds with {returns}.",
        "With {takes} as sole starting point, this delivers {returns}.",
        "Combines a chain of requests, going from {takes} to {returns} immediately.",
        "Answers a request carrying {takes} by sending {returns}. Saves the usual detour.",
        "Provide {takes}; the rest is resolved internally, up to {returns}.",
        "Delivers {returns} upon receipt of {takes}, whatever lies in between.",
        "Shortcut for obtaining {returns} out of {takes} within a single request.",
    ),
)
"""Documents of a tool that does in one call what took two. `{takes}` and `{returns}` are noun phrases with article."""

MERGED_NAMES = Pool(
    train=("{a}_then_{b}", "{a}_and_{b}", "{a}_to_{b}", "{a}_{b}", "both_{a}_{b}", "{b}_from_{a}"),
    test=("{b}_after_{a}", "{b}_via_{a}", "{a}_plus_{b}", "{b}_using_{a}", "{a}_into_{b}", "full_{b}_{a}"),
)
"""Names of a tool that does the work of tools `{a}` and `{b}`, in this order; at most 7 characters of their own."""

FACTORS = Pool(
    train=(0.15, 0.25, 0.3, 0.6, 0.7, 0.8, 1.1, 1.25, 1.6, 2.0, 2.5, 3.5, 5.0, 8.0),
    test=(0.2, 0.35, 0.45, 0.65, 0.85, 1.35, 1.75, 2.2, 2.75, 3.4, 4.5, 5.5, 6.0, 7.5),
)
"""Other factors of multiplicative rules. Paper: Figure 3 for 0.2."""
