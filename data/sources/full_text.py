"""A paper's full text from arXiv: the PDF, or the HTML where there is no PDF, at arXiv's pace."""

from __future__ import annotations

import asyncio

from yarl import URL

from data.calendar.arxiv_ids import split_version
from data.sources.http import Download, PoliteClient, SourceError, TooLargeError

MOST_BYTES = 30_000_000
SECONDS = 60.0
"""For one file, with all waiting for arXiv's pace and all attempts."""
ATTEMPTS = 3


class NoFullTextError(SourceError):
    """arXiv has no such file of the paper, or none that is read; asking again soon won't help."""


class ArxivFullText:
    """Fetches files of papers.

    Parameters
    ----------
    client
        All that asks arXiv shares its pace.
    url
        https://export.arxiv.org, which arXiv keeps for programs, or a mirror.
    """

    def __init__(self, client: PoliteClient, url: str) -> None:
        self._client = client
        self._url = URL(url.rstrip("/"))

    async def pdf(self, arxiv_id: str, version: int | None = None) -> bytes:
        """The PDF of a paper.

        Parameters
        ----------
        arxiv_id
            As the store has it, without a version.
        version
            The version to fetch; the newest where it is None.

        Raises
        ------
        NoFullTextError
            Where there is none, or it has more than :data:`MOST_BYTES`.
        SourceError
            Where arXiv can't be reached within :data:`SECONDS`.
        """
        found = await self._file("pdf", arxiv_id, version)
        if b"%PDF-" not in found.body[:1_024]:
            raise NoFullTextError("arXiv has no PDF of this paper")
        return found.body

    async def html(self, arxiv_id: str, version: int | None = None) -> bytes:
        """The HTML of a paper, which arXiv has for many since 2023; parameters and errors as :meth:`pdf`."""
        found = await self._file("html", arxiv_id, version)
        if found.kind not in ("text/html", "application/xhtml+xml"):
            raise NoFullTextError("arXiv has no HTML of this paper")
        return found.body

    async def close(self) -> None:
        """Close the connection."""
        await self._client.close()

    async def _file(self, form: str, arxiv_id: str, version: int | None) -> Download:
        if split_version(arxiv_id) != (arxiv_id, None):
            raise NoFullTextError("this isn't an arXiv id")
        url = str(self._url / form / (f"{arxiv_id}v{version}" if version else arxiv_id))
        try:
            async with asyncio.timeout(SECONDS):
                found = await self._client.download(url, most=MOST_BYTES, follow=self._may_lead_to)
        except TooLargeError as error:
            raise NoFullTextError(
                f"its {form.upper()} has more than {MOST_BYTES // 1_000_000} MB, the most that I read"
            ) from error
        except TimeoutError as error:
            raise SourceError("arXiv did not answer in time") from error
        if found.status in (404, 410):
            raise NoFullTextError(f"arXiv has no {form.upper()} of this paper")
        if found.status != 200:
            raise SourceError(f"arXiv answered with status {found.status}")
        return found

    def _may_lead_to(self, address: URL) -> bool:
        """A redirect stays at the same place, or leads from one of arXiv's own hosts to another."""
        if address.scheme not in ("http", "https") or not address.host:
            return False
        if address.user is not None or address.password is not None:
            return False
        if address.origin() == self._url.origin():
            return True
        both = [(url.host or "").rstrip(".").lower() for url in (self._url, address)]
        at_arxiv = all(host == "arxiv.org" or host.endswith(".arxiv.org") for host in both)
        return at_arxiv and address.scheme == "https" and address.port == 443
