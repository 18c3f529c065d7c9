"""arXiv on loopback: its Atom feed and its OAI-PMH answers, from a function of the request."""

import time

from aiohttp import web

ENTRY = """<entry><id>http://arxiv.org/abs/{id}</id><title>Title of {id}</title>
<summary> Abstract of {id}. </summary>
<published>{day}T12:00:00Z</published><updated>{day}T12:00:00Z</updated>
<author><name>Ada Lovelace</name></author><category term="cs.CL"/><category term="68T50; I.2.7"/>
<arxiv:primary_category xmlns:arxiv="http://arxiv.org/schemas/atom" term="cs.CL"/></entry>"""


RECORD = """<record><header{status}><identifier>oai:arXiv.org:{id}</identifier>
<datestamp>{stamp}</datestamp></header>
<metadata><arXiv xmlns="http://arxiv.org/OAI/arXiv/"><id>{id}</id><created>{created}</created>{updated}
<authors><author><keyname>Lao</keyname><forenames>ChonLam</forenames></author></authors>
<title>Title of {id}</title><categories>cs.DC cs.LG</categories>
<abstract>Abstract.</abstract></arXiv></metadata></record>"""


def feed(entries, total):
    return (
        '<feed xmlns="http://www.w3.org/2005/Atom"><opensearch:totalResults xmlns:opensearch='
        f'"http://a9.com/-/spec/opensearch/1.1/">{total}</opensearch:totalResults>{"".join(entries)}</feed>'
    )


def oai(records, token="", size=0):
    mark = f'<resumptionToken completeListSize="{size}">{token}</resumptionToken>'
    return f'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>{"".join(records)}{mark}</ListRecords></OAI-PMH>'


def oai_record(arxiv_id, stamp="2026-05-18", created="2026-05-15", updated="", status=""):
    more = f"<updated>{updated}</updated>" if updated else ""
    return RECORD.format(id=arxiv_id, stamp=stamp, created=created, updated=more, status=status)


class Server:
    """Answers from a function of the request; remembers what it was asked and when."""

    def __init__(self, answer):
        self.answer = answer
        self.asked: list[dict[str, str]] = []
        self.times: list[float] = []
        self.at_once = 0

    async def handle(self, request):
        self.at_once += 1
        assert self.at_once == 1, "two requests at once"
        self.asked.append(dict(request.query))
        self.times.append(time.monotonic())
        answer = self.answer(request.query, len(self.asked))
        self.at_once -= 1
        if isinstance(answer, web.Response):
            return answer
        return web.Response(text=answer, content_type="text/xml")
