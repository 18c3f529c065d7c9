"""People as a pass over seven papers would judge them."""

COUNT = 40


def rows(people):
    """Everybody's first authorship, given to these people in turn."""
    return [
        {
            "paper_id": n,
            "position": 0,
            "author_id": 1,
            "person_id": people[n % len(people)],
            "confidence": 0.5,
            "support": None,
        }
        for n in range(1, COUNT + 1)
    ]


def persons(numbers, name):
    return [
        {"id": n, "name": f"{name} {n}", "papers": COUNT // len(numbers), "merged_into": None}
        for n in numbers
    ]
