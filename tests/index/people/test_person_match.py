"""Which person a typed name with a number can mean."""

import pytest

from data.stores.people import Person
from index.people.person_match import LONGEST_NAME, _may_be_called

LONG = "Maximiliana " * 12 + "Quispe"


@pytest.mark.parametrize(
    ("known", "typed", "may"),
    [
        ("Wei Zhang", "Wei Zhang", True),
        ("Wei Zhang", "", True),
        ("Wei Zhang", "Zhang Wei", True),
        ("Wei Zhang", "Zhang, Wei", True),
        ("Wei Zhang", "W. Zhang", True),
        ("Wei Zhang", "zhang", True),
        ("ChonLam Lao", "Chon-Lam Lao", True),
        ("Wei Zhang", "Wei Chen", False),
        ("Wei Zhang", "Li Zhang", False),
        ("Wei Zhang", "Wei Zhang Chen", False),
        ("Wei Zhang", "~ —", True),
        ("Jan van der Berg", "van der Berg", True),
        ("Gabriel García Márquez", "Garcia Marquez", True),
        ("J. Michael Smith", "Michael Smith", True),
        ("Martin King Jr.", "King Jr.", True),
        (LONG, LONG[:LONGEST_NAME].strip(), True),
        (LONG, f"{LONG[:40].strip()}…", True),
        (LONG, LONG[:20].strip(), False),
    ],
)
def test_a_number_counts_for_names_that_its_person_can_have(known, typed, may):
    assert _may_be_called(Person(7, known, 3), typed) == may


def test_each_printed_form_of_a_name_counts():
    assert _may_be_called(Person(7, "Wei Zhang", 3, ("Wei Zhang", "David Zhang")), "David Zhang")
