"""Tools beside the point: near misses about places, of no use for any question.

Assumption: ours.
"""

from openagent_lib.sandbox.domain import DecoyText, Pool

DECOYS = Pool(
    train=(
        DecoyText("get_fax", "Returns the fax number of a place. Needs the place id.", "place_id"),
        DecoyText("get_owner", "Returns the name of the person who owns a place. Needs the place id.", "place_id"),
        DecoyText("get_parking", "Returns the number of parking spaces at a place.", "place_id"),
        DecoyText("get_email", "Returns the email address of a place. Needs the place id.", "place_id"),
        DecoyText("get_website", "Returns the web address of a place.", "place_id"),
        DecoyText("get_postcode", "Returns the postcode of a place. Needs the place id.", "place_id"),
        DecoyText("get_review_score", "Returns the mean score that visitors gave a place.", "place_id"),
        DecoyText("get_seat_count", "Returns how many seats a place has. Needs the place id.", "place_id"),
        DecoyText("get_holiday_dates", "Returns the dates of the yearly holidays of a place.", "place_id"),
        DecoyText("farthest_place", "Returns the id of the place farthest away from a place.", "place_id"),
        DecoyText("count_places", "Returns how many places there are in a district.", "district"),
        DecoyText("get_parking_fee", "Returns what parking at a place costs per hour.", "place_id"),
    ),
    test=(
        DecoyText("architect_record", "Tells who designed the building that stands on a site.", "site_code"),
        DecoyText("guest_network_key", "Supply a site to hear the password for its wireless network.", "site_code"),
        DecoyText("delivery_entrance", "Points lorry drivers to the back door of a site.", "site_code"),
        DecoyText("founding_year", "Year in which a site first welcomed the public.", "venue"),
        DecoyText("step_free_access", "Tells whether wheelchairs can enter a venue.", "venue"),
        DecoyText("staff_headcount", "For human resources: how many people a venue employs.", "venue"),
        DecoyText("bus_stop_guide", "Names the bus stop where passengers get off for a site.", "site_code"),
        DecoyText("insurance_reference", "Reference of the fire insurance that covers a site.", "site_code"),
        DecoyText("cloakroom_fee", "Tells what it costs to leave a coat at a venue.", "venue"),
        DecoyText("borough_population", "Supply a borough to hear how many people live in it.", "borough_name"),
        DecoyText("late_night_contact", "Security guard to be alerted at night, per site.", "site_code"),
        DecoyText("lost_property_desk", "Tells at which counter a venue keeps lost items.", "venue"),
    ),
)
