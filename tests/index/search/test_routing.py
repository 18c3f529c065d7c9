"""What people say to Labmate is led to the command that answers it, whatever they say."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.search.doing_without import DoneWithout
from index.search.routing import OPTIONS, Route, is_thanks, paper_texts, route, topic_known

YEAR = date(2026, 1, 1)


@dataclass(frozen=True)
class Read:
    """What the query understanding found."""

    text: str = ""
    since: date | None = None
    until: date | None = None
    people: tuple[str, ...] = ()
    like: str | None = None
    follows: bool = False
    unwanted_people: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    people_sure: bool = False
    people_said: str = ""
    people_unknown: tuple[str, ...] = ()
    order: str = "best"
    workplace: str = ""
    authors_of: str = ""
    done_without: DoneWithout | None = None


YU = "Minlan Yu"
AUTHORS = {"D. Rückert", "M. M. van Bronstein", "M. Bronstein", "Hal Daumé"}
CASES = [
    ("what did Minlan Yu publish this year?", YU, "", "/papers author:Minlan Yu since:2026-01-01"),
    ("what did Minlan Yu publish in 2024?", YU, "", "/search query:…"),
    ("papers by Minlan Yu", YU, "", "/papers author:Minlan Yu"),
    ("what has Minlan Yu been up to lately", YU, "", "/papers author:Minlan Yu"),
    ("who is Minlan Yu?", YU, "", "/author name:Minlan Yu"),
    ("Minlan Yu", YU, "", "/author name:Minlan Yu"),
    ("tell me about Minlan Yu", YU, "", "/author name:Minlan Yu"),
    ("Minlan Yu on congestion control", YU, "congestion control", "/search query:…"),
    ("what did Minlan Yu write about congestion?", YU, "congestion", "/search query:…"),
    ("what causes loss spikes when training large models?", "", "…", "/ask question:…"),
    ("does RAG reduce hallucinations", "", "…", "/ask question:…"),
    ("what was found about agents this year?", "", "agents", "/ask question:… since:2026-01-01"),
    ("what is 2605.15617 about?", "", "what is about", "/ask question:… paper:2605.15617"),
    ("how does arxiv.org/abs/2605.15617 work?", "", "…", "/ask question:… paper:2605.15617"),
    ("papers like PrismLLM", "", "", "/similar paper:PrismLLM"),
    ("papers like PrismLLM but for inference", "", "inference", "/search query:…"),
    ("this year's papers on MoE inference", "", "MoE inference", "/search query:…"),
    ("are there any papers on loss spikes?", "", "loss spikes", "/search query:…"),
    ("what papers say about loss spikes", "", "loss spikes", "/ask question:…"),
    ("fault tolerance of GPU training", "", "…", "/search query:…"),
    ("who works on in-network aggregation?", "", "…", "/who-knows topic:in-network aggregation"),
    ("who at Stanford works on agents?", "", "…", "/who-knows topic:agents at Stanford"),
    ("who works on agents at MIT?", "", "…", "/who-knows topic:agents at MIT"),
    ("who in NLP works on parsing?", "", "…", "/who-knows topic:parsing in NLP"),
    ("people in China who work from home", "", "…", "/search query:…"),
    ("find me a reviewer for a paper on RDMA", "", "…", "/who-knows topic:RDMA"),
    ("experts in topological data analysis", "", "…", "/who-knows topic:topological data analysis"),
    ("who is the best expert on attention sinks?", "", "…", "/who-knows topic:attention sinks"),
    ("who should review this: RDMA for all", "", "…", "/who-knows topic:RDMA for all"),
    ("find collaborators for me on RDMA", "", "…", "/who-knows topic:RDMA"),
    ("people who work on RDMA", "", "…", "/who-knows topic:RDMA"),
    ("who are good reviewers for my submission on RDMA?", "", "…", "/who-knows topic:RDMA"),
    ("expert finding in retrieval", "", "…", "/search query:…"),
    ("The Experts in mixture-of-experts models collapse", "", "…", "/search query:…"),
    ("people who know when they don't know", "", "…", "/search query:…"),
    ("Collaborators in crime", "", "…", "/search query:…"),
    ("how many papers did Minlan Yu write?", YU, "", "/papers author:Minlan Yu"),
    ("who are the coauthors of Minlan Yu", YU, "who are the coauthors", "/author name:Minlan Yu"),
    ("who works with Minlan Yu?", YU, "who works with ?", "/author name:Minlan Yu"),
    ("who should I talk to about RDMA?", "", "…", "/who-knows topic:RDMA"),
    ("who can I ask about loss spikes", "", "…", "/who-knows topic:loss spikes"),
    ("who should I talk to", "", "…", "/ask question:…"),
    ("who can I meet at NeurIPS?", "", "…", "/ask question:…"),
    ("what is Minlan Yu working on?", YU, "what is working on?", "/papers author:Minlan Yu"),
    ("follow Minlan Yu", YU, "follow", "/author name:Minlan Yu"),
    ("follow PrismLLM", "", "follow PrismLLM", "/paper paper:PrismLLM"),
    ("PrismLLM", "", "…", "/paper paper:PrismLLM"),
    ("show me PrismLLM", "", "PrismLLM", "/paper paper:PrismLLM"),
    ("who wrote PrismLLM?", "", "PrismLLM", "/paper paper:PrismLLM"),
    ("who are the authors of PrismLLM", "", "PrismLLM", "/paper paper:PrismLLM"),
    ("summarise PrismLLM", "", "PrismLLM", "/summary paper:PrismLLM"),
    ("whats new today", "", "", "/new"),
    ("what's new in cs.NI?", "", "cs.NI", "/new category:cs.NI"),
    ("what's new in bioinformatics?", "", "bioinformatics", "/search query:…"),
    ("what is new in NLP", "", "NLP", "/search query:…"),
    ("anything new on protein folding?", "", "protein folding", "/search query:…"),
    ("what's new in q-bio?", "", "q-bio", "/new category:q-bio"),
    ("can you recommend papers on RDMA?", "", "RDMA", "/search query:…"),
    ("could you please find papers about RDMA", "", "RDMA", "/search query:…"),
    ("can you give me newest papers of RDMA please", "", "RDMA", "/search query:…"),
    ("hi, is there some paper about RDMA?", "", "RDMA", "/search query:…"),
    ("does anyone know good papers on RDMA?", "", "RDMA", "/search query:…"),
    ("how many papers about RDMA are there?", "", "RDMA", "/search query:…"),
    ("can you explain what RDMA papers measure?", "", "RDMA", "/ask question:…"),
    ("could papers be written by a model?", "", "model", "/ask question:…"),
    ("who i can ask about loss spikes", "", "…", "/who-knows topic:loss spikes"),
    ("someone work on tibetan language?", "", "…", "/who-knows topic:tibetan language"),
    ("is anybody here working on RDMA?", "", "…", "/who-knows topic:RDMA"),
    ("does anyone know about RDMA?", "", "…", "/who-knows topic:RDMA"),
    ("i look for people working on icelandic", "", "…", "/who-knows topic:icelandic"),
    ("I'm looking for a reviewer for my paper on RDMA", "", "…", "/who-knows topic:RDMA"),
    ("we need experts in RDMA", "", "…", "/who-knows topic:RDMA"),
    ("does anyone know why RDMA fails?", "", "…", "/ask question:…"),
    ("does anyone know about papers on RDMA?", "", "RDMA", "/search query:…"),
    ("does anybody know about any good studies of RDMA?", "", "RDMA", "/search query:…"),
    ("does anyone know how papers measure RDMA?", "", "RDMA", "/ask question:…"),
    ("do you know a reviewer for my paper on RDMA?", "", "…", "/who-knows topic:RDMA"),
    ("can you tell me of papers on RDMA?", "", "RDMA", "/search query:…"),
    ("can you tell me which papers are on RDMA?", "", "RDMA", "/search query:…"),
    (
        "could you tell me why recent work avoids RDMA?",
        "",
        "RDMA",
        "/ask question:why recent work avoids RDMA?",
    ),
    (
        "can you tell me whether studies support RDMA?",
        "",
        "RDMA",
        "/ask question:whether studies support RDMA?",
    ),
    ("can you show me how papers on RDMA differ?", "", "RDMA", "/ask question:how papers on RDMA differ?"),
    ("does someone work on weekends?", "", "…", "/who-knows topic:weekends"),
    ("people working on RDMA", "", "…", "/who-knows topic:RDMA"),
    ("looking for people in crowds", "", "…", "/search query:…"),
    ("give me the bibtex of PrismLLM", "", "…", "/paper paper:PrismLLM"),
    ("how do I cite PrismLLM?", "", "…", "/paper paper:PrismLLM"),
    ("citation for PrismLLM", "", "…", "/paper paper:PrismLLM"),
    ("what was published in 2024 about RDMA", "", "RDMA", "/search query:…"),
    ("who wrote about RDMA in 2024?", "", "RDMA", "/search query:…"),
    ("which methods were proposed in 2024 for RDMA?", "", "methods RDMA", "/search query:…"),
    ("how well did RDMA scale in 2024?", "", "RDMA", "/ask question:…"),
    ("explain me what is RLHF please", "", "…", "/ask question:what is RLHF"),
    ("pls explain to me how RDMA works", "", "…", "/ask question:how RDMA works"),
    ("can you tell me why loss spikes happen?", "", "…", "/ask question:why loss spikes happen?"),
    ("i am tired, i just want know what is RLHF", "", "…", "/ask question:what is RLHF"),
    (
        "Hi! I would like to understand why loss spikes happen",
        "",
        "…",
        "/ask question:why loss spikes happen",
    ),
    ("We want to know what we know", "", "…", "/ask question:what we know"),
    ("Models that tell me why they fail", "", "…", "/search query:…"),
    ("can you tell me who works on RDMA?", "", "…", "/who-knows topic:RDMA"),
    ("D. Rückert", "", "…", "/author name:D. Rückert"),
    ("M. M. van Bronstein", "", "…", "/author name:M. M. van Bronstein"),
    ("who is M. Bronstein?", "", "…", "/author name:M. Bronstein"),
    ("Who is Hal Daumé", "", "…", "/author name:Hal Daumé"),
    ("J. S. Bach", "", "…", "/search query:…"),
    ("who is Santa Claus?", "", "…", "/ask question:…"),
    ("who is at risk?", "", "…", "/ask question:…"),
    ("who is GPT-4?", "", "…", "/ask question:…"),
    ("Who is Right?", "", "…", "/ask question:…"),
    ("what is the newest paper?", "", "newest paper", "/new"),
    ("latest papers", "", "latest papers", "/new"),
    ("how did RDMA work in 2024?", "", "RDMA", "/ask question:…"),
    ("why did research on RDMA stop in 2024?", "", "RDMA", "/ask question:…"),
    ("how many articles on RDMA were published in 2024?", "", "RDMA", "/search query:…"),
    ("help", "", "help", "/help"),
    ("hi!", "", "hi", "/help"),
    ("", "", "", "/help"),
    ("🙂 …", "", "", "/help"),
    ("what can you do?", "", "", "/help"),
    ("how do I ask you something?", "", "", "/help"),
    ("/papers ChonLam Lao sort:oldest", "", "", "/papers author:ChonLam Lao sort:oldest"),
    ("/search author:Minlan Yu query:congestion", "", "", "/search author:Minlan Yu query:congestion"),
    ("/new order:topic", "", "", "/new order:topic"),
    ("/digest create", "", "digest create", "/search query:…"),
]
CASES += [
    ("who should I collaborate with on RDMA?", "", "", "/who-knows topic:RDMA"),
    ("who can help me with RDMA for GPUs?", "", "", "/who-knows topic:RDMA for GPUs"),
    ("people like Minlan Yu", YU, "people like", "/similar-people name:Minlan Yu"),
    ("find me researchers similar to Minlan Yu", YU, "", "/similar-people name:Minlan Yu"),
    (
        "who is Minlan Yu and what does she work on?",
        YU,
        "who is and what does she work on",
        "/author name:Minlan Yu",
    ),
    ("compare Minlan Yu and Chris Manning", YU, "", "/compare first:Minlan Yu second:Chris Manning"),
    ("what's trending?", "", "", "/trending"),
    ("what is hot in cs.NI right now", "", "", "/trending category:cs.NI"),
    ("what is trending in medicine?", "", "", "/ask question:…"),
    ("who wrote the PrismLLM paper?", "", "", "/paper paper:PrismLLM"),
    ("when was PrismLLM published?", "", "", "/paper paper:PrismLLM"),
    ("where did the paper PrismLLM appear", "", "", "/paper paper:PrismLLM"),
    ("when was RDMA released?", "", "", "/ask question:…"),
    ("add my paper 2501.12948", "", "", "/paper paper:2501.12948"),
    ("https://huggingface.co/papers/2501.12948", "", "", "/paper paper:2501.12948"),
    ("something related to 2501.12948 please", "", "", "/similar paper:2501.12948"),
]
"""What is said, who is named in it, the subject left (… for all of it), and what it is led to."""


@pytest.mark.parametrize(("said", "person", "left", "typed"), CASES, ids=[c[0] or "nothing" for c in CASES])
def test_what_is_said_is_led_to_the_command_that_answers_it(said, person, left, typed):
    read = Read(
        left.replace("…", said),
        YEAR if "this year" in said else date(2024, 1, 1) if "2024" in said else None,
        date(2024, 12, 31) if "2024" in said else None,
        people=(person,) if person else (),
        like="PrismLLM" if "like" in said else None,
    )
    assert route(said, read, named={"PrismLLM"}, authors=AUTHORS).typed == typed.replace("…", said)


def test_follow_ups_and_likeness_without_something_are_searched_for():
    said = "who cites PrismLLM?"
    assert route(said, Read("", like="PrismLLM", follows=True)) == Route("search", {"query": said})
    said = "papers like PrismLLM but no surveys"
    assert route(said, Read("", like="PrismLLM", without=("surveys",))) == Route("search", {"query": said})


def test_two_people_are_compared_and_unwanted_people_searched_for():
    said = "what did Minlan Yu and Kai Chen write together?"
    both = Read("together?", people=("Minlan Yu", "Kai Chen"))
    assert route(said, both) == Route("compare", {"first": "Minlan Yu", "second": "Kai Chen"})
    said = "papers by Minlan Yu but not with Kai Chen"
    without = Read("", people=("Minlan Yu",), unwanted_people=("Kai Chen",))
    assert route(said, without) == Route("search", {"query": said})


@pytest.mark.parametrize("title", ["How LLMs cite and why it matters", "Learning to forget the past"])
def test_a_title_is_left_whole(title):
    assert paper_texts(f"{title}?") == (title, "")
    assert paper_texts(f"show me {title}") == (title, "")


def test_a_family_name_of_several_is_asked_for_and_several_people_are_searched_for():
    several = Read(people=("Minlan Yu", "F. Yu"), people_sure=True, people_said="Yu")
    assert route("papers by Yu", several) == Route("papers", {"author": "Yu"})
    two = Read("compare", people=("Minlan Yu", "Kai Chen"))
    compared = Route("compare", {"first": "Minlan Yu", "second": "Kai Chen"})
    assert route("compare Minlan Yu and Kai Chen", two) == compared
    assert route("Minlan Yu vs. Kai Chen", replace(two, text="vs.")) == compared
    shared = replace(two, text="which coauthors do and share")
    assert route("which coauthors do Minlan Yu and Kai Chen share", shared) == compared
    shared = replace(two, text="who have and in common as collaborators?")
    assert route("who have Minlan Yu and Kai Chen in common as collaborators?", shared) == compared
    on_subject = replace(two, text="compare congestion control of")
    assert route("compare congestion control of Minlan Yu and Kai Chen", on_subject).command != "compare"
    both = Read(people=("Minlan Yu", "Kai Chen"), people_sure=True, people_said="Minlan Yu and Kai Chen")
    assert route("papers by Minlan Yu and Kai Chen", both).command == "search"


@pytest.mark.parametrize(
    ("said", "topic"),
    [
        ("who knows about gossip?", "gossip"),
        (" Who works on RDMA", "RDMA"),
        ("gossip", "gossip"),
        ("who knows", "who knows"),
    ],
)
def test_a_topic_may_be_asked_for(said, topic):
    assert topic_known(said) == topic


@pytest.mark.parametrize(
    "said", ["who in Lyon works on RDMA?", "anyone in Lyon doing RDMA", "groups in Lyon researching RDMA"]
)
def test_a_place_where_people_work_follows_the_topic_in_brackets(said):
    assert route(said, Read("RDMA", workplace="in Lyon")).typed == "/who-knows topic:RDMA (in Lyon)"
    assert topic_known(said, "in Lyon") == "RDMA (in Lyon)"


@pytest.mark.parametrize("said", ["thanks", "Thanks, that helps!", "ok thank you so much", "great, thx :)"])
def test_thanks_are_thanks(said):
    assert is_thanks(said)


@pytest.mark.parametrize("said", ["thanks, how does it work?", "thanks to RLHF", "thank Minlan Yu", "", "ok"])
def test_what_only_begins_with_thanks_is_none(said):
    assert not is_thanks(said)


def test_a_pasted_abstract_is_compared():
    pasted = "We study loss spikes in the training of large models. " * 6
    assert route(pasted, Read(pasted)).command == "similar"


def test_what_goes_on_from_a_question_is_a_question():
    said = "and for inference"
    assert route(said, Read(said), follows=True) == Route("ask", {"question": said})
    assert route("papers by Minlan Yu", Read(people=(YU,)), follows=True).command == "papers"
    assert route("help", Read(), follows=True).command == "help"


def test_a_command_that_is_not_there_is_never_chosen():
    assert route("summarise PrismLLM", Read(), named={"PrismLLM"}, commands=("paper",)).command == "paper"
    assert route("who knows gossip?", Read("gossip"), commands=("ask", "search")).command == "ask"


@given(st.text(max_size=4_000), st.text(max_size=60), st.booleans())
def test_any_text_at_all_is_led_somewhere(said, rest, follows):
    found = route(
        said, Read(rest), named=paper_texts(said)[:1] if len(said) % 7 == 0 else (), follows=follows
    )
    assert set(found.options) <= set(OPTIONS[found.command])
    assert len(found.typed) < 2_000


@pytest.mark.parametrize(
    "said",
    [
        "what " * 900,
        "(" * 4_000,
        "a" * 4_000,
        "papers by " * 400,
        "what is new in " * 300,
        "compare " + "Van " * 370,
    ],
)
def test_long_texts_are_read_quickly(said):
    begun = time.perf_counter()
    route(said, Read(said))
    assert time.perf_counter() - begun < 0.5


@pytest.mark.parametrize(
    ("said", "place", "command"),
    [
        ("what has OpenAI published this year?", "OpenAI", "search"),
        ("what is OpenAI working on?", "OpenAI", "search"),
        ("how good are models from OpenAI?", "from OpenAI", "ask"),
    ],
)
def test_only_a_search_says_that_workplaces_are_unknown(said, place, command):
    assert route(said, Read(text="x", workplace=place)).command == command
