"""Questions to `/ask` over all papers, timed to the first words: `python -m benchmarks.replies --ask`."""

from __future__ import annotations

import random
import time

from benchmarks.data import FOLDER, PAPERS, full_corpus, show
from benchmarks.running import WARM, logged_in, resident, start, timed
from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from data.sources.files import PaperFile

ASKED = 120
QUESTIONS = (
    "what causes loss spikes when training large models?",
    "does retrieval reduce hallucinations?",
    "how can text written by ChatGPT be detected?",
    "is chain-of-thought reasoning faithful?",
    "how do language models represent time?",
    "why do agents fail at long tasks?",
    "which attacks make prompt injection work against tools?",
    "how is failure recovery done in large GPU clusters?",
    "does quantisation to four bits hurt accuracy?",
    "what limits speculative decoding?",
    "how well do models translate low-resource languages?",
    "can models judge their own answers?",
    "what makes mixture-of-experts inference slow?",
    "do larger context windows help?",
    "how are gradients compressed in distributed training?",
)


def questions(count: int) -> list[str]:
    """Questions of our own, then some about the titles of papers drawn by chance, all different."""
    chance = random.Random(16)
    titles = [record.title for _, record in PaperFile(PAPERS) if len(record.title.split()) > 5]
    drawn = (" ".join(title.split()[:7]).rstrip(":,.") for title in chance.sample(titles, count))
    return [*QUESTIONS, *(f"what is known about {title}?" for title in drawn)][:count]


async def main() -> None:
    """Start a Labmate and ask it, once each."""
    corpus = await full_corpus()
    await corpus.store.close()
    async with LocalDiscord() as discord:
        process = start(discord, FOLDER)
        await logged_in(process)
        try:
            async with UserClient(discord.url, discord.user_token) as user:
                begun = time.perf_counter()
                await user.slash("/ask warm up the model", within=120)
                print(f"{'first answer after the start':34} {time.perf_counter() - begun:.1f} s")
                asked = questions(ASKED + WARM)
                times = await timed(user, [f"/ask {question}" for question in asked])
                show("/ask", times, "target 700 ms p50, 1,500 ms p99")
                mentions = [await said(user, question) for question in asked[: 40 + WARM]]
                show("@Labmate, a question", mentions[WARM:])
                print(f"{'resident memory':34} {resident(process):,.0f} MB")
        finally:
            process.terminate()
            process.wait()


async def said(user: UserClient, question: str) -> float:
    """Seconds until a mention is answered."""
    begun = time.perf_counter()
    await user.mention(question, within=60)
    return time.perf_counter() - begun
