"""What a tired researcher types, and what is understood of it; over a small library with its real indexes."""

import re
from dataclasses import replace
from datetime import date

import pytest
import pytest_asyncio

from data.stores.store import Store
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.intake import Intake
from index.search.known_words import KnownWords
from index.search.understanding import understand
from index.search.wishes import read_without
from tests.helpers import databases
from tests.helpers.records import record

LONG_WISH = "My thesis is on the training of models that read drums, discs and " + "songs and " * 8 + "masks"
TODAY = date(2026, 8, 22)
NEWEST = date(2026, 8, 21)
_WORKS = (
    ("PrismLLM: Faithful LLM Training Emulation", "Minlan Yu", "ChonLam Lao"),
    ("Holistic Evaluation of Language Models", "Percy Liang", "Chelsea Finn"),
    ("Speculative Decoding for Language Models", "Yang Liu"),
    ("Prompt Injection Attacks on Language Models", "Tao Yu"),
    ("Retrieval Augmented Generation", "Ada Lovelace"),
    ("Loss Spikes in Training Large Models", "H. C. Andrews"),
    ("Training without Labels", "Ada Lovelace"),
    ("SemEval 2024 Task 8: Machine-Generated Text", "Grace Hopper"),
    ("Findings of SemEval 2024", "Grace Hopper"),
    ("Markov Chain Methods", "Markov Chain"),
    ("A Markov Chain Study", "Ada Lovelace"),
    ("Congestion Control in Networks", "Minlan Yu"),
    ("Machine Learning for Drums and Disks", "Hofmann K"),
    ("Masks at Work", "Martin J. Wainwright"),
    ("Sails at Work", "Rand and Sons Group"),
    ("Chips at Work", "NVIDIA"),
)


@pytest_asyncio.fixture(scope="module")
async def known(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    store = await Store.open(databases.url_of(folder / "labmate.db"))
    corpus = await Corpus.open(store, folder, Embedder(), writable=True)
    records = [
        record(number, title=title, authors=list(authors), announced=NEWEST, listings=[("cs.CL", NEWEST)])
        for number, (title, *authors) in enumerate(_WORKS, 1)
    ]
    with corpus.writing():
        await Intake(corpus, "test", "test").run(iter(enumerate(records)))
    await corpus.refresh()
    await corpus.refresh_names()
    yield KnownWords(corpus).known(TODAY)
    await store.close()


def _said(understood):
    """What was understood beside the plain subject, without what was not said."""
    found = {
        "text": understood.text,
        "since": understood.since and understood.since.isoformat(),
        "until": understood.until and understood.until.isoformat(),
        "people": understood.people,
        "sure": understood.people_sure,
        "together": understood.people_together and len(understood.people_together),
        "nobody": understood.people_unknown,
        "like": understood.like,
        "follows": understood.follows,
        "without": understood.without,
        "lacks": understood.done_without and understood.done_without.what,
        "but": understood.unwanted_people,
        "kept": understood.days_kept,
        "unread": understood.days_unread,
        "place": understood.workplace,
        "order": understood.order if understood.order != "best" else None,
        "venue": understood.venue and str(understood.venue),
        "fixed": dict(understood.fixed),
        "foreign": understood.foreign,
        "author": understood.query.author,
        "phrases": understood.query.phrases,
    }
    return {name: value for name, value in found.items() if value}


MINLAN, PERCY = ("Minlan Yu",), ("Percy Liang",)
SENTENCES = {
    # days
    "last week's papers on MoE inference": {"text": "MoE inference", "since": "2026-08-15"},
    "this month": {"since": "2026-08-01"},
    "congestion since May": {"text": "congestion", "since": "2026-05-01"},
    "yesterday": {"since": "2026-08-21", "until": "2026-08-21"},
    "decoding 2025": {"text": "decoding", "since": "2025-01-01", "until": "2025-12-31"},
    "rag in 2025": {"text": "rag", "since": "2025-01-01", "until": "2025-12-31"},
    "since:1w agents": {"text": "agents", "since": "2026-08-15"},
    "since:last week agents": {"text": "agents", "since": "2026-08-15"},
    "articles published on 20 August about text-to-SQL": {
        "text": "text-to-SQL",
        "since": "2026-08-20",
        "until": "2026-08-20",
    },
    "agents published in may": {"text": "agents", "since": "2026-05-01", "until": "2026-05-31"},
    "agents announced since May": {"text": "agents", "since": "2026-05-01"},
    "agents between March and May": {"text": "agents", "since": "2026-03-01", "until": "2026-05-31"},
    "agents from 2023 to 2025": {"text": "agents", "since": "2023-01-01", "until": "2025-12-31"},
    "agents before 2024": {"text": "agents", "until": "2023-12-31"},
    "agents after June 2025": {"text": "agents", "since": "2025-07-01"},
    "agents in the last 3 months": {"text": "agents", "since": "2026-05-22"},
    "agents since 14 Aug 2026": {"text": "agents", "since": "2026-08-14"},
    "decoding since last spring": {"text": "decoding", "since": "2026-03-01"},
    "this summer's papers on decoding": {"text": "decoding", "since": "2026-06-01"},
    "decoding before mid-2025": {"text": "decoding", "until": "2025-04-30"},
    "decoding older than a year": {"text": "decoding", "until": "2025-08-21"},
    "decoding in the last couple of months": {"text": "decoding", "since": "2026-06-22"},
    "decoding between last spring and christmas": {
        "text": "decoding",
        "since": "2025-03-01",
        "until": "2025-12-25",
    },
    "decoding but not for speech, since christmas": {
        "text": "decoding",
        "since": "2025-12-25",
        "without": ("speech",),
    },
    "decoding, since last fall, but not for speech": {
        "text": "decoding",
        "since": "2025-09-01",
        "without": ("speech",),
    },
    "decoding but not for speech, before training": {
        "text": "decoding, before training",
        "without": ("speech",),
    },
    "spring networks": {"text": "spring networks"},
    "what may help training": {"text": "what may help training"},
    "SemEval 2024 task 8": {"text": "SemEval 2024 task 8"},
    "march of the models": {"text": "march of the models"},
    "training with 2048 tokens": {"text": "training with 2048 tokens"},
    # venues
    "newest ICLR 2025 papers on decoding": {"text": "decoding", "venue": "ICLR 2025", "order": "newest"},
    "decoding papers by Percy Liang accepted at neurips 2025": {
        "text": "decoding",
        "people": PERCY,
        "sure": True,
        "venue": "NeurIPS 2025",
    },
    "decoding published in TACL since 2024": {"text": "decoding", "venue": "TACL", "since": "2024-01-01"},
    # people
    "Percy Liang benchmark evaluation": {"text": "benchmark evaluation", "people": PERCY},
    "Martin Wainwright masking": {"text": "masking", "people": ("Martin J. Wainwright",)},
    "papers by Martin Wainwright": {"people": ("Martin J. Wainwright",), "sure": True},
    "minlan yu congestion": {"text": "congestion", "people": MINLAN},
    "papers by Minlan Yu on congestion control": {
        "text": "congestion control",
        "people": MINLAN,
        "sure": True,
    },
    "what did Minlan Yu publish this year?": {"people": MINLAN, "since": "2026-01-01"},
    "how many papers did Minlan Yu write in 2025?": {
        "people": MINLAN,
        "since": "2025-01-01",
        "until": "2025-12-31",
    },
    "how many papers has Percy Liang published on benchmarks": {"text": "benchmarks", "people": PERCY},
    "what has Percy Liang written on benchmarks": {"text": "benchmarks", "people": PERCY},
    "I am interested in articles written either by Yu or Percy Liang": {
        "people": ("Minlan Yu", "Tao Yu", "Percy Liang"),
        "sure": True,
    },
    "Minlan Yu's papers": {"people": MINLAN, "sure": True},
    "author:Minlan Yu congestion": {"text": "congestion", "people": MINLAN, "sure": True},
    # what is no name, though no text has it
    "papers by Percy Liang with reinforcment learning": {
        "text": "reinforcment learning",
        "people": PERCY,
        "sure": True,
    },
    "papers by Percy Liang, transfomers": {"text": "papers , transfomers", "people": PERCY, "sure": True},
    "papers by Percy Liang with GPT-4": {"text": "GPT-4", "people": PERCY, "sure": True},
    "papers by Chinese universities": {"text": "papers by Chinese universities"},
    "text written by GPT-4": {"text": "text written by GPT-4"},
    "bias before and after ICLR": {"text": "bias before and after ICLR"},
    'author:"Minlan Yu" congestion': {"text": "congestion", "author": "Minlan Yu"},
    "text to sql by Tao Yu, 2025": {
        "text": "text to sql",
        "people": ("Tao Yu",),
        "since": "2025-01-01",
        "until": "2025-12-31",
        "sure": True,
    },
    "markov chain methods": {"text": "markov chain methods"},
    "captioning by transformers": {"text": "captioning by transformers"},
    "papers by OpenZQ": {"text": "papers by OpenZQ"},
    "papers by Percy Liang and ZQZF": {"text": "ZQZF", "people": ("Percy Liang",), "sure": True},
    "papers by Liang Xyzovic": {"sure": True, "nobody": ("Liang Xyzovic",)},
    "show me the papers of Percy Liang, Minlan Yu": {"people": ("Percy Liang", "Minlan Yu"), "sure": True},
    "papers by young researchers": {"text": "papers by young researchers"},
    "papers by H.C. Andrews": {"people": ("H. C. Andrews",), "sure": True},
    "papers by Harry Andrews": {"people": ("H. C. Andrews",), "sure": True},
    "I'd like to find articles written by either Liang or Harry Andrews.": {
        "people": ("Percy Liang", "H. C. Andrews"),
        "sure": True,
    },
    "works by Harry Andrews or Liang on loss spikes": {
        "text": "loss spikes",
        "people": ("H. C. Andrews", "Percy Liang"),
        "sure": True,
    },
    "papers by Andrews, H. C. or Liang, P.": {"people": ("H. C. Andrews", "Percy Liang"), "sure": True},
    "papers by Hofmann on learning": {"text": "learning", "people": ("Hofmann K",), "sure": True},
    "congestion by Harry Lao": {"text": "congestion by Harry Lao"},
    "summary of Percy Chain": {"text": "summary of Percy Chain"},
    # days that are not wanted
    **{
        typed: {"text": "decoding", "since": "2026-01-01"}
        for typed in (
            "decoding, but please nothing from before 2026",
            "decoding, not before 2026",
            "decoding no papers older than 2026",
            "decoding, nothing published before 2026",
            "decoding excluding anything from before 2026",
        )
    },
    "decoding, no papers after 2025": {"text": "decoding", "until": "2025-12-31"},
    "decoding, not later than May 2025": {"text": "decoding", "until": "2025-05-31"},
    "decoding, not older than 6 months": {"text": "decoding", "since": "2026-02-22"},
    "decoding, nothing older than a year": {"text": "decoding", "since": "2025-08-22"},
    "decoding except papers from 2026": {"text": "decoding", "until": "2025-12-31"},
    "decoding except papers from 2025": {"text": "decoding", "kept": "except papers from 2025"},
    "decoding except 2025": {"text": "decoding", "kept": "except 2025"},
    "decoding, not 2026": {"text": "decoding", "until": "2025-12-31"},
    "decoding not between 2020 and 2024": {"text": "decoding", "kept": "not between 2020 and 2024"},
    "decoding not from 2023 or 2024": {"text": "decoding", "kept": "not from 2023 or 2024"},
    "decoding, not since 2025": {"text": "decoding", "until": "2024-12-31"},
    "decoding since 2024, not in 2026": {"text": "decoding", "since": "2024-01-01", "until": "2025-12-31"},
    "decoding, neither before 2024 nor after 2025": {
        "text": "decoding",
        "since": "2024-01-01",
        "until": "2025-12-31",
    },
    "decoding (nothing before 2025)": {"text": "decoding", "since": "2025-01-01"},
    "decoding but not after one year ago": {"text": "decoding", "until": "2025-08-22"},
    "patients not older than 5 years": {"text": "patients not older than 5 years"},
    "papers on decoding, nothing older than 5 years": {"text": "decoding", "since": "2021-08-22"},
    "no consensus before 2020": {"text": "no consensus", "until": "2019-12-31"},
    # people who are not wanted
    **{
        typed: {"text": "decoding", "but": PERCY}
        for typed in (
            "decoding not by Percy Liang",
            "decoding, but nothing by Percy Liang",
            "decoding without Percy Liang",
            "decoding, no papers by Liang",
            "decoding excluding anything by Percy Liang",
            "decoding (not by Percy Liang)",
            "papers on decoding that are not by Percy Liang",
            "decoding except those written by Percy Liang",
        )
    },
    "decoding, neither by Percy Liang nor Minlan Yu": {
        "text": "decoding",
        "but": ("Percy Liang", "Minlan Yu"),
    },
    "decoding neither Percy Liang nor Minlan Yu": {"text": "decoding", "but": ("Percy Liang", "Minlan Yu")},
    "I don't want papers by Percy Liang. loss spikes": {"text": "loss spikes", "but": PERCY},
    "I don't want Percy Liang papers. loss spikes": {"text": "loss spikes", "but": PERCY},
    "decoding (not by Percy Liang, please)": {"text": "decoding", "but": PERCY},
    "text not written by Chain": {"text": "text not written by Chain"},
    "graphs, nothing from Liang": {"text": "graphs, nothing from Liang"},
    "papers on no regret or by Percy Liang": {"text": "no regret or", "people": PERCY, "sure": True},
    "papers by Percy Liang with Yu": {
        "together": 2,
        "people": ("Percy Liang", "Minlan Yu", "Tao Yu"),
        "sure": True,
    },
    "what did Percy Liang write with Minlan Yu": {"people": ("Percy Liang", "Minlan Yu"), "together": 2},
    "decoding, not by Percy Liang or Minlan Yu": {"text": "decoding", "but": ("Percy Liang", "Minlan Yu")},
    "decoding, but not in speech or by Minlan Yu": {
        "text": "decoding",
        "but": MINLAN,
        "without": ("speech",),
    },
    "papers by Percy Liang but not with Chelsea Finn": {
        "people": PERCY,
        "sure": True,
        "but": ("Chelsea Finn",),
    },
    # a family name
    "decoding by Liang": {"text": "decoding", "people": PERCY, "sure": True},
    "decoding by Liang et al.": {"text": "decoding", "people": PERCY, "sure": True},
    "papers by Percy Liang and colleagues on decoding": {"text": "decoding", "people": PERCY, "sure": True},
    "decoding by liang": {"text": "decoding by liang"},
    "decoding by Chain": {"text": "decoding by Chain"},
    "decoding by Harry": {"text": "decoding by Harry"},
    "Wainwright": {"people": ("Martin J. Wainwright",)},
    "wainwright": {"text": "wainwright"},
    "Chain": {"text": "Chain"},
    "decoding by Liang Evaluation": {"text": "decoding by Liang Evaluation"},
    "WAINWRIGHT": {"text": "WAINWRIGHT"},
    # two people
    "Percy Liang and Minlan Yu": {"people": ("Percy Liang", "Minlan Yu")},
    "Percy Liang or Minlan Yu": {"people": ("Percy Liang", "Minlan Yu")},
    "papers Percy Liang wrote with Minlan Yu": {"people": ("Percy Liang", "Minlan Yu"), "together": 2},
    **{
        said: {"people": ("Percy Liang", "Minlan Yu"), "sure": True, "together": 2}
        for said in (
            "papers by Percy Liang and Minlan Yu",
            "papers by Percy Liang & Minlan Yu",
            "papers by both Percy Liang and Minlan Yu",
            "papers by Percy Liang with Minlan Yu",
            "joint papers by Percy Liang and Minlan Yu",
            "papers that Percy Liang and Minlan Yu wrote together",
            "Percy Liang and Minlan Yu's papers",
        )
    },
    "papers Percy Liang coauthored with Minlan Yu": {"people": ("Percy Liang", "Minlan Yu"), "together": 2},
    **{
        said: {"people": ("Percy Liang", "Minlan Yu"), "sure": True}
        for said in (
            "papers by Percy Liang or Minlan Yu",
            "papers by Percy Liang, Minlan Yu",
            "papers by Percy Liang and by Minlan Yu",
            "papers by either of Percy Liang and Minlan Yu",
            "Percy Liang's and Minlan Yu's papers",
        )
    },
    "papers by Percy Liang, Minlan Yu and Chelsea Finn on decoding": {
        "text": "decoding",
        "people": ("Percy Liang", "Minlan Yu", "Chelsea Finn"),
        "sure": True,
        "together": 3,
    },
    "papers by Percy Liang, Minlan Yu or Chelsea Finn on decoding": {
        "text": "decoding",
        "people": ("Percy Liang", "Minlan Yu", "Chelsea Finn"),
        "sure": True,
    },
    "papers by Rand and Sons Group on decoding": {
        "text": "decoding",
        "people": ("Rand and Sons Group",),
        "sure": True,
    },
    **{
        said: {"people": ("Martin J. Wainwright",), "sure": True}
        for said in ("Wainwright's recent work", "Wainwright's papers")
    },
    "Wainwright's new papers on masks": {
        "text": "masks",
        "people": ("Martin J. Wainwright",),
        "sure": True,
    },
    "papers by Percy Liang and his students": {"people": PERCY, "sure": True},
    "papers by Percy Liang's group on decoding": {"text": "decoding", "people": PERCY, "sure": True},
    "papers by Percy Liang and decoding": {"text": "decoding", "people": PERCY, "sure": True},
    # somebody whom nobody knows
    "papers by Xyz Qwert": {"sure": True, "nobody": ("Xyz Qwert",)},
    "papers by Xyz Qwert on decoding": {"text": "decoding", "sure": True, "nobody": ("Xyz Qwert",)},
    "papers by xyz qwert on decoding": {"text": "decoding", "sure": True, "nobody": ("xyz qwert",)},
    "papers by Percy Liang and Xyz Qwert": {"people": PERCY, "sure": True, "nobody": ("Xyz Qwert",)},
    "papers by Xyz Qwert and Percy Liang": {"people": PERCY, "sure": True, "nobody": ("Xyz Qwert",)},
    "papers by Percy Liang and Augmented Generation": {
        "text": "Augmented Generation",
        "people": PERCY,
        "sure": True,
    },
    "papers by Liang University on decoding": {"text": "decoding", "place": "by Liang University"},
    "papers by Percy Liang with loss spikes": {"text": "loss spikes", "people": PERCY, "sure": True},
    # where authors work
    "papers from Stanford on decoding since 2024": {
        "text": "decoding",
        "place": "from Stanford",
        "since": "2024-01-01",
    },
    "papers by Percy Liang from Stanford": {"people": PERCY, "sure": True, "place": "from Stanford"},
    "papers by NVIDIA on decoding": {
        "text": "decoding",
        "people": ("NVIDIA",),
        "sure": True,
        "place": "by NVIDIA",
    },
    "papers from NVIDIA on decoding": {"text": "decoding", "place": "from NVIDIA"},
    "papers by OpenAI": {"text": "OpenAI", "place": "by OpenAI"},
    "decoding (no robots) from Google": {"text": "decoding", "without": ("robots",), "place": "from Google"},
    "who in Zurich works on decoding": {"text": "who works on decoding", "place": "in Zurich"},
    "anyone in Munich doing decoding": {"text": "anyone doing decoding", "place": "in Munich"},
    "who in NLP works on decoding": {"text": "who in NLP works on decoding"},
    # days by a conference
    **{
        f"decoding {said}": {"text": "decoding", "unread": said}
        for said in (
            "before ICLR",
            "since NeurIPS 2024",
            "after ACL '25",
            "published until the last ICML",
            "between ICLR and ICML",
            "since CHI 2025",
            "before the EMNLP deadline",
        )
    },
    "papers after ICML on decoding": {"text": "decoding", "unread": "after ICML"},
    "post-NeurIPS work on decoding": {"text": "decoding", "unread": "post-NeurIPS"},
    "papers by Percy Liang since ICLR": {"people": PERCY, "sure": True, "unread": "since ICLR"},
    "decoding language models before ICLR reviews": {"text": "decoding language models before ICLR reviews"},
    "decoding since Nature": {"text": "decoding since Nature"},
    "before ICLR": {"text": "before ICLR"},
    # order
    "newest rag papers": {"text": "rag", "order": "newest"},
    "latest work on congestion": {"text": "congestion", "order": "newest"},
    "what's new in decoding": {"text": "decoding", "order": "newest"},
    "what is the most cited paper of 2025?": {
        "order": "cited",
        "since": "2025-01-01",
        "until": "2025-12-31",
    },
    "most cited paper on RAG": {"text": "RAG", "order": "cited"},
    "first papers on prompt injection": {"text": "prompt injection", "order": "oldest"},
    "rag newest first": {"text": "rag", "order": "newest"},
    "new": {"order": "newest"},
    "new word detection": {"text": "new word detection"},
    # likeness
    "papers like PrismLLM but for inference": {"text": "inference", "like": "PrismLLM"},
    "similar to PrismLLM": {"like": "PrismLLM"},
    "follow-ups of PrismLLM": {"like": "PrismLLM", "follows": True},
    "papers that build on PrismLLM": {"like": "PrismLLM", "follows": True},
    **{
        asked: {"like": "PrismLLM", "follows": True}
        for asked in ("who cites PrismLLM?", "which papers cite PrismLLM", "has anyone cited PrismLLM?")
    },
    "top 10 papers on decoding": {"text": "decoding"},
    "3 papers on decoding please": {"text": "decoding"},
    "the five most cited papers on RAG": {"text": "RAG", "order": "cited"},
    "three-dimensional decoding": {"text": "three-dimensional decoding"},
    "papers like PrismLLM but no surveys": {"like": "PrismLLM", "without": ("surveys",)},
    "papers like PrismLLM, but not about robots": {"like": "PrismLLM", "without": ("robots",)},
    "has Percy Liang written anything about decoding?": {"text": "decoding?", "people": PERCY},
    "papers cited by PrismLLM": {"text": "papers cited by PrismLLM"},
    "decoding but not about speech": {"text": "decoding", "without": ("speech",)},
    "I don't want surveys on decoding": {"text": "decoding", "without": ("surveys",)},
    "no congesiton pls, decoding": {"text": "decoding", "without": ("congestion",)},
    "not a survey, decoding": {"text": "decoding", "without": ("survey",)},
    "decoding, no survey papers please": {"text": "decoding", "without": ("survey",)},
    "anything but robots for decoding": {"text": "decoding", "without": ("robots",)},
    "anything but robots": {"without": ("robots",)},
    "newest papers, anything but robots": {"order": "newest", "without": ("robots",)},
    "anything but papers by Percy Liang": {"but": PERCY},
    "decoding from anyone but Percy Liang": {"text": "decoding", "but": PERCY},
    "everything except papers by Percy Liang on decoding": {"text": "decoding", "but": PERCY},
    "Anything But Robots: Decoding": {"text": "Anything But Robots: Decoding"},
    "I don't want papers from Google on decoding": {
        "text": "decoding",
        "place": "I don't want papers from Google",
    },
    "decoding, but not medicine or law": {"text": "decoding", "without": ("medicine", "law")},
    "decoding excluding speech, robots and cars": {
        "text": "decoding",
        "without": ("speech", "robots", "cars"),
    },
    "decoding but no speech, no robots": {"text": "decoding", "without": ("speech", "robots")},
    **{
        whole: {"text": whole}
        for whole in (
            "Robot learning, including but not limited to manipulation, locomotion and navigation",
            "decoding, not only for code, but also vision, audio and speech",
            "decoding, not necessarily for images, video or audio",
            "efficient decoding, no matter the architecture, model size or hardware",
        )
    },
    "Methods other than decoding, such as SVMs, trees and boosting": {
        "text": "Methods, such as SVMs, trees and boosting",
        "without": ("decoding",),
    },
    "decoding but nothing on speech": {"text": "decoding", "without": ("speech",)},
    "decoding, no robots": {"text": "decoding", "without": ("robots",)},
    **{
        typed: {"text": "decoding", "without": ("robots",)}
        for typed in (
            "decoding (no robots)",
            "decoding (but not robots)",
            "decoding - no robots",
            "decoding – not robots",
            "decoding, and no robots please",
            "decoding, please no robots",
            "decoding no robots please",
            "decoding (no robots, please)",
            "decoding, nothing about robots",
        )
    },
    **{
        typed: {"text": "decoding.", "without": ("robots",)}
        for typed in ("decoding, nothing with robots.", "decoding. No robots.")
    },
    "decoding (no robots, cars or law)": {"text": "decoding", "without": ("robots", "cars", "law")},
    "decoding excluding robots (and cars)": {"text": "decoding (and cars)", "without": ("robots",)},
    **{
        typed: {"text": "decoding", "without": ("robots", "law")}
        for typed in (
            "decoding, neither robots nor law",
            "no robots or law please: decoding",
            "no robots, no law, please. decoding",
            "I don't want robots or law papers. Find papers on decoding",
            "I don't want papers on robots or law. I need papers on decoding",
        )
    },
    **{
        typed: {"text": "decoding without robots or law", "lacks": "robots or law"}
        for typed in (
            "decoding that doesn't use robots or law",
            "papers on decoding which don’t involve robots or law",
        )
    },
    **{
        whole: {"text": whole}
        for whole in (
            "Decoding Is Sparse Policy Selection, Not Capability",
            "Soft Decoding: Long Context Training without Robots",
            "Training Models to Understand (but Not Generate) Speech",
        )
    },
    "Decoding Long Songs not by Percy Liang": {"text": "Decoding Long Songs", "but": PERCY},
    "decoding (no robots, no law)": {"text": "decoding", "without": ("robots", "law")},
    "decoding. no robots, no law": {"text": "decoding", "without": ("robots", "law")},
    "decoding (not about robots)": {"text": "decoding", "without": ("robots",)},
    "decoding (without robots)": {"text": "decoding", "without": ("robots",)},
    "please, no robots: decoding": {"text": "decoding", "without": ("robots",)},
    "decoding, neither about robots nor about law": {"text": "decoding", "without": ("robots", "law")},
    "people who do not use robots": {"text": "people who do not use robots"},
    "training that doesn't use labels": {"text": "training without labels", "lacks": "labels"},
    "training without using labels": {"text": "training without labels", "lacks": "labels"},
    "training that doesn't need any labels": {"text": "training without labels", "lacks": "labels"},
    "training which requires no labels": {"text": "training without labels", "lacks": "labels"},
    "label-free training": {"text": "label-free training", "lacks": "label"},
    "Label-Free Training of Drums": {"text": "Label-Free Training of Drums"},
    "decoding without using robots": {
        "text": "decoding without robots",
        "lacks": "robots",
    },
    "I don't want to read long papers. Find decoding": {"text": "decoding"},
    "decoding (no robots) for law": {"text": "decoding for law", "without": ("robots",)},
    "speech-to-text - not code - and vision": {"text": "speech-to-text - and vision", "without": ("code",)},
    "Decoding. No earlier work decodes law from speech.": {
        "text": "Decoding. No earlier work decodes law from speech."
    },
    "systems with no memory": {"text": "systems without memory", "lacks": "memory"},
    "decoding, nothing more": {"text": "decoding, nothing more"},
    "decoding, not robots, for law and medicine": {
        "text": "decoding, for law and medicine",
        "without": ("robots",),
    },
    "PrismLLM without GPUs": {"text": "PrismLLM without GPUs", "lacks": "GPUs"},
    "training without labels": {"text": "training without labels", "lacks": "labels"},
    "papers without code": {"text": "papers without code"},
    "training with and without labels": {"text": "training with and without labels"},
    "Decoding from speech. Our method does not need labels.": {
        "text": "Decoding from speech. Our method does not need labels."
    },
    f"{LONG_WISH} without any robots": {"text": f"{LONG_WISH} without any robots"},
    "papers by Ada Lovelace at Mila": {"people": ("Ada Lovelace",), "sure": True, "place": "at Mila"},
    "newest decoding without robots by Percy Liang from Stanford since May": {
        "text": "decoding without robots",
        "lacks": "robots",
        "people": ("Percy Liang",),
        "sure": True,
        "order": "newest",
        "since": "2026-05-01",
        "place": "from Stanford",
    },
    # polite words
    "I want to read about loss spikes": {"text": "loss spikes"},
    "well chain thought": {"text": "well chain thought"},
    "now casting rainfall": {"text": "now casting rainfall"},
    "Well, I am interested in loss spikes": {"text": "loss spikes"},
    "pls find papers about loss spikes plz": {"text": "loss spikes"},
    "how many papers about loss spikes are there?": {"text": "loss spikes"},
    "how much papers on loss spikes were published": {"text": "loss spikes"},
    "how many papers a model can read": {"text": "how many papers a model can read"},
    "currently looking for papers on prompt injection": {"text": "prompt injection"},
    "I'd like to find articles describing the use of wavelets. I am not interested in hardware.": {
        "text": "the use of wavelets."
    },
    "can you find me papers about congestion please": {"text": "congestion"},
    "Could anybody point me to work on loss spikes? Thank you very much!": {"text": "loss spikes?"},
    "loss spikes. Thanks for your help, Bob :)": {"text": "loss spikes."},
    "any information on packet radio networks": {"text": "packet radio networks"},
    "show attend and tell": {"text": "show attend and tell"},
    "information retrieval": {"text": "information retrieval"},
    # typos
    "speculaitve decodng": {
        "text": "speculative decoding",
        "fixed": {"speculaitve": "speculative", "decodng": "decoding"},
    },
    "prompt injeciton": {"text": "prompt injection", "fixed": {"injeciton": "injection"}},
    "speculativedecoding": {"text": "speculativedecoding"},
    '"injeciton" attacks': {"text": "injeciton attacks", "phrases": ("injeciton",)},
    "PrsmLLM": {"text": "PrsmLLM"},
    "umbrella": {"text": "umbrella"},
    # other languages
    "Halluzinationen in großen Sprachmodellen erkennen": {
        "text": "Halluzinationen in großen Sprachmodellen erkennen",
        "foreign": "another language",
    },
    "大模型幻觉检测": {"text": "大模型幻觉检测", "foreign": "Chinese"},
    "обнаружение галлюцинаций": {
        "text": "обнаружение галлюцинаций",
        "foreign": "a language written in Cyrillic",
    },
    # questions and what can't be read
    "what causes loss spikes when training large models?": {
        "text": "what causes loss spikes when training large models?"
    },
    "": {},
    "!!!": {"text": "!!!"},
    "category:cs.XX; DROP TABLE": {"text": "DROP TABLE"},
}


@pytest.mark.parametrize("typed", SENTENCES)
def test_a_sentence_is_understood(known, typed):
    assert _said(understand(typed, known)) == SENTENCES[typed]


@pytest.mark.parametrize(
    ("typed", "unwanted"),
    [
        ("federated learning, no surveys", ("surveys",)),
        ("bandits, no regret", ()),
        ("correlation, not causation", ()),
        ("decoding, no robots", ("robots",)),
        ("grasping without LLMs", ("LLMs",)),
        ("scaling context, not parameters", ()),
        ("grasping without papers from 2025", ()),
        ("grasping without labels", ()),
        ("grasping that does not use labels", ()),
        ("grasping without the need for demonstrations", ()),
        (f"{'we study grasping of glass and metal ' * 3}without LLMs", ()),
    ],
)
def test_what_papers_often_print_with_no_stays_a_subject(typed, unwanted):
    counts = {"surveys": 2_518, "no surveys": 4, "regret": 434, "no regret": 29, "causation": 74}
    counts |= {"LLMs": 31_682, "without LLMs": 6, "labels": 8_361, "without labels": 79}
    counts |= {"context not parameters": 1, "parameters": 9_000, "not parameters": 3}
    counts |= {"need for demonstrations": 900, "without need for demonstrations": 1}
    counts |= {"not causation": 1, "robots": 3_616, "no robots": 5}
    assert (
        read_without(typed, lambda words: counts.get(" ".join(re.findall(r"\w+", words)), 0))[0] == unwanted
    )


def test_each_part_can_be_undone(known):
    typed = "newest papers by Minlan Yu on speculaitve decoding since May but not about speech"
    whole = understand(typed, known)
    assert whole.parts == frozenset("dptwo")
    for part in whole.parts:
        left = understand(typed, known, undo=frozenset(part))
        assert left.parts == whole.parts - {part}
    assert not understand(typed, known, undo=frozenset("dptlwo")).parts


def test_days_that_are_undone_are_not_left_out_of_the_subject(known):
    said = understand("decoding but not for speech, since May", known, undo=frozenset("d"))
    assert (said.since, said.without) == (None, ("speech",))


def test_a_digest_s_description_keeps_what_it_declines_whole_and_as_typed(known):
    said = understand("papers except congesiton for robots", known, as_text=True)
    assert (said.text, said.without) == ("", ("congesiton for robots",))


def test_a_span_after_the_newest_listing_counts_from_it(known):
    later = replace(known, today=date(2026, 11, 22))
    assert understand("last week on rag", later).since == date(2026, 8, 14)
    assert understand("this month", later).since == date(2026, 8, 1)
    assert understand("today", later).until == NEWEST


def test_a_question_keeps_quotes_and_colons_as_text(known):
    said = understand('the "loss: spikes" of author:x', known, as_text=True)
    assert said.query.phrases == ()
    assert said.query.author is None


@pytest.mark.parametrize(
    "typed",
    [
        *("x" * 100_000, "by " * 3_000, "since " * 999, '"' * 999, "\x00\ue000", "()" * 500),
        *("papers by Minlan Yu" + space * 2_000 + "x" for space in (" ", "\n", "\u2003")),
        *("papers by " + "Minlan Yu and " * 200, "papers by Minlan Yu, " * 90, "before ICLR 2024 " * 110),
        "papers by Minlan Yu and" + " and" * 900,
    ],
)
def test_hostile_text_is_read_quickly(known, typed):
    assert understand(typed, known).typed is not None
