"""Clusters mentions with S2AND, in S2AND's own Python (`make peers`); reads and writes JSON files."""

import json
import sys
from collections import defaultdict
from pathlib import Path

from s2and.data import ANDData
from s2and.production_model import load_production_model


def named(printed: str) -> tuple[str, str, str]:
    """First, middle and last name in S2AND's form."""
    words = printed.replace(".", ". ").split()
    if "," in printed:
        last, _, first = printed.partition(",")
        words = [*first.split(), last.strip()]
    return words[0] if len(words) > 1 else "", " ".join(words[1:-1]), words[-1] if words else ""


def main(asked: Path, answered: Path) -> None:
    """Cluster the mentions of the input file."""
    wanted = json.loads(asked.read_text())
    authors = {paper["id"]: paper["authors"] for paper in wanted["papers"]}
    papers = {}
    for paper in wanted["papers"]:
        title, _, abstract = paper["text"].partition(". ")
        papers[str(paper["id"])] = {
            "paper_id": paper["id"],
            "title": title,
            "abstract": abstract,
            "year": paper.get("year"),
            "venue": "",
            "journal_name": "",
            "authors": [
                {"position": place, "author_name": name} for place, name in enumerate(paper["authors"])
            ],
            "references": None,
        }
    signatures, blocks = {}, defaultdict(list)
    for mention in wanted["mentions"]:
        first, middle, last = named(authors[mention["paper"]][mention["position"]])
        number = str(mention["id"])
        block = f"{first[:1]} {last}".lower().strip()
        blocks[block].append(number)
        signatures[number] = {
            "signature_id": number,
            "paper_id": mention["paper"],
            "author_info": {
                "position": mention["position"],
                "block": block,
                "first": first,
                "middle": middle or None,
                "last": last,
                "suffix": None,
                "email": None,
                "affiliations": [],
            },
        }
    dataset = ANDData(
        signatures=signatures,
        papers=papers,
        name="asked",
        mode="inference",
        specter_embeddings=None,
        load_name_counts=False,
        n_jobs=2,
        compute_reference_features=False,
    )
    clusterer = load_production_model()
    clusterer.use_cache = False
    clusterer.n_jobs = 2
    clusters, _ = clusterer.predict(dict(blocks), dataset)
    answered.write_text(json.dumps([[int(number) for number in members] for members in clusters.values()]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
