from datetime import date, datetime

from commands.cards.digest import heading
from data.stores.delivery_record import Delivery
from data.stores.digest_record import Digest

FRIDAY = date(2026, 11, 27)


def delivery(upto):
    now = datetime(2026, 11, 27, 9)
    return Delivery(0, 1, FRIDAY, now, "due", upto, 15, (), False, 1, None, 0, "", now, None)


def test_a_heading_names_the_day_of_an_old_listing_and_not_of_a_new_one():
    digest = Digest(guild=1, channel=1, owner=1)
    assert "newest listing: 24 Aug 2026" in heading(digest, delivery(date(2026, 8, 24)))
    for fresh in (FRIDAY, date(2026, 11, 25), None):
        assert "newest listing" not in heading(digest, delivery(fresh))
