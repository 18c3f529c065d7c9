"""Checks the language model that rewords answers: whether it answers, and what it cost today."""

from __future__ import annotations

from urllib.parse import urlsplit

from bot.doctor.finding import Finding, bad, good, note
from bot.settings import Settings
from data.calendar.clock import utc_now
from data.sources.llm import Llm, LlmError
from data.stores.store import Store

_HERE = {"localhost", "127.0.0.1", "::1"}
_SECONDS = 20.0


async def language_model(settings: Settings) -> list[Finding]:
    """Whether the model answers; asks it for one word."""
    if not settings.llm_url:
        return good("no LLM_URL: /ask quotes papers and asks no language model")
    findings: list[Finding] = []
    parts = urlsplit(settings.llm_url)
    if parts.scheme == "http" and parts.hostname not in _HERE:
        findings += note(
            "LLM_URL is not encrypted: questions, quotes and the key can be read on the way",
            "Use https, or a server on this machine.",
        )
    if parts.hostname not in _HERE and not (settings.llm_price_in or settings.llm_price_out):
        findings += note(
            "LLM_PRICE_IN and LLM_PRICE_OUT are 0, so the limits in dollars never hold",
            "Set what a million tokens cost; the limits in tokens and seconds hold anyway.",
        )
    key = settings.llm_api_key.get_secret_value() if settings.llm_api_key else None
    llm = Llm(settings.llm_url, settings.llm_model.strip(), key, seconds=_SECONDS)
    try:
        await llm.write("Answer with one word.", "Say yes.", 64)
    except LlmError as error:
        return [
            *findings,
            *bad(
                f"the language model does not answer: {error}",
                "Check LLM_URL, LLM_MODEL and LLM_API_KEY. Until then /ask shows quotes as they are.",
            ),
        ]
    finally:
        await llm.close()
    store = await Store.open(settings.database)
    try:
        spent = await store.llm_spending.of_all(utc_now().date())
    finally:
        await store.close()
    return [
        *findings,
        *good(
            f"{settings.llm_model[:60]} answers; spent today: "
            f"{spent.tokens:,} of {settings.llm_day_tokens:,} tokens, "
            f"{spent.milliseconds / 1_000:,.0f} of {settings.llm_day_seconds:,} s, "
            f"${spent.microdollars / 1e6:.4f} of ${settings.llm_day_dollars:g}"
        ),
    ]
