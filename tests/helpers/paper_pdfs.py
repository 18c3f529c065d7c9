"""Papers as PDFs, written letter by letter: columns, headers, captions, and files that are no papers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.helpers.pdfs import assemble

WIDTH, HEIGHT = 612, 792
FONTS = {"F": b"/Helvetica", "B": b"/Helvetica-Bold", "I": b"/Helvetica-Oblique", "M": b"/Courier"}


@dataclass(frozen=True)
class Put:
    """Text at a place, in points from the lower left corner."""

    x: float
    y: float
    text: str
    size: float = 10.0
    font: str = "F"

    def stream(self) -> bytes:
        """Its operators; what stands between two ``^`` is raised and small."""
        head = f"BT /{self.font} {self.size} Tf 1 0 0 1 {self.x} {self.y} Tm ".encode()
        for number, part in enumerate(self.text.split("^")):
            size, rise = (0.6 * self.size, 0.4 * self.size) if number % 2 else (self.size, 0)
            escaped = (
                part.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("cp1252", "replace")
            )
            head += f"/{self.font} {size} Tf {rise} Ts (".encode() + escaped + b") Tj "
        return head + b"ET\n"


def column(x: float, top: float, lines: Sequence[str], **more: object) -> list[Put]:
    """Lines below each other, 12 points apart."""
    return [Put(x, top - 12 * number, line, **more) for number, line in enumerate(lines)]


def paper_pdf(pages: Sequence[Sequence[Put]], *, catalog: bytes = b"", trailer: bytes = b"") -> bytes:
    """A PDF whose pages have these texts, drawn in this order."""
    names = list(FONTS)
    fonts = b" ".join(b"/%s %d 0 R" % (name.encode(), 3 + place) for place, name in enumerate(names))
    first = 3 + len(names)
    kids = b" ".join(b"%d 0 R" % (first + 2 * number) for number in range(len(pages)))
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R " + catalog + b" >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages)),
        *(
            b"<< /Type /Font /Subtype /Type1 /BaseFont %s /Encoding /WinAnsiEncoding >>" % FONTS[name]
            for name in names
        ),
    ]
    for number, page in enumerate(pages):
        stream = b"".join(put.stream() for put in page)
        parts += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R "
            b"/Resources << /Font << %s >> >> >>" % (WIDTH, HEIGHT, first + 2 * number + 1, fonts),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        ]
    whole = assemble(parts)
    return whole.replace(b"/Root 1 0 R", b"/Root 1 0 R " + trailer) if trailer else whole


def encrypted_pdf() -> bytes:
    """A PDF that asks for a password (security handler of revision 2, nobody's key)."""
    key = b"/Encrypt << /Filter /Standard /V 1 /R 2 /O <%s> /U <%s> /P -4 >> /ID [<00> <00>]" % (
        b"ab" * 32,
        b"cd" * 32,
    )
    return paper_pdf([column(72, 700, ["Nobody reads this."] * 20)], trailer=key)


def scanned_pdf(pages: int = 3) -> bytes:
    """Pages that are pictures."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(pages))
    stream = b"q 600 0 0 780 6 6 cm /Im Do Q"
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, pages),
        b"<< /Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8 "
        b"/Length 4 >>\nstream\n\x00\xff\xff\x00\nendstream",
    ]
    for number in range(pages):
        parts += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /XObject << /Im 3 0 R >> >> >>" % (5 + 2 * number),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        ]
    return assemble(parts)


LEFT, RIGHT = 54.0, 318.0


def furniture(number: int) -> list[Put]:
    """A running header and a page number."""
    title = "A. Lovelace et al." if number % 2 else "On Loss Spikes"
    return [Put(250, 765, title, 8), Put(303, 30, str(number), 8)]


def loss_spikes() -> bytes:
    """Three pages in two columns, with everything that a paper has."""
    first = [
        *furniture(1),
        Put(180, 730, "On Loss Spikes in Large Models", 17, "B"),
        Put(250, 710, "Ada Lovelace, Bob Person", 11),
        Put(150, 690, "Analytical Society, 12 Marylebone Road, London", 9),
        Put(150, 660, "Abstract", 11, "B"),
        *column(LEFT, 645, [
            "Training of large models is interrupted by loss spi-",
            "kes. We trace 41 spikes to single batches and pro-",
            "pose a filter that removes 38 of them. It does not",
            "slow training down.",
        ]),
        Put(LEFT, 580, "1 Introduction", 12, "B"),
        *column(LEFT, 560, [
            "A loss spike is a sudden rise of the loss during a",
            "training that was stable before. Spikes cost days of",
            "work on thousands of accelerators, since the state-of-",
            "the-art remedy is to restart from an older checkpoint.",
            "The state-of-the-art remedy has never been measured.",
            "Nobody knows what causes loss spikes at this scale,",
            "and earlier work looked at models of a few million pa-",
        ]),
        *column(RIGHT, 645, [
            "rameters only. We look at models of 7 and 70 billion",
            "parameters, and at every batch that came before a",
            "spike. The parameters and the data are public.",
        ]),
        Put(RIGHT, 585, "2 Method", 12, "B"),
        Put(RIGHT, 565, "2.1 Tracing", 10, "B"),
        *column(RIGHT, 550, [
            "We keep the gradients of the last 200 steps before",
            "each spike and replay them with single examples left",
            "out. The example whose absence removes the spike is",
            "called its cause. Replaying takes 3.5 hours a spike.",
        ]),
        *column(LEFT, 95, [
            "1 The code is available from the authors on request",
            "and will be published with the final version.",
        ], size=7),
    ]  # fmt: skip
    second = [
        *furniture(2),
        *column(RIGHT, 700, [
            "The filter drops a batch whose gradient is larger than",
            "ten times the mean of its last 50 batches.",
        ]),
        Put(LEFT, 700, "3 Results", 12, "B"),
        *column(LEFT, 680, [
            "Of 41 spikes, 38 have a single batch as their cause.",
            "The filter removes all of these, and training is not",
            "slowed down by more than 0.4 percent.",
        ]),
        Put(LEFT, 560, "Figure 1: Loss over steps, with and without the", 8),
        Put(LEFT, 550, "filter. Each of the 38 spikes is marked in red.", 8),
        *[Put(LEFT + 40 * place, 600, word, 6) for place, word in enumerate("0 100 200 300 steps".split())],
        *column(LEFT, 520, [
            "The three other spikes came from hardware faults, as",
            "the logs of the machines show.",
        ]),
        Put(RIGHT, 640, "Table 1. Spikes by cause and by model size.", 8),
        *[Put(RIGHT + 70 * cell, 620 - 12 * row, text, 9)
          for row, cells in enumerate([["Cause", "7B", "70B"], ["batch", "20", "18"], ["fault", "1", "2"]])
          for cell, text in enumerate(cells)],
        Put(RIGHT, 560, "4 Limitations", 12, "B"),
        *column(RIGHT, 540, [
            "However, we could not study models above 70 billion",
            "parameters, and the filter remains untested with",
            "other optimizers.",
        ]),
    ]  # fmt: skip
    third = [
        *furniture(3),
        Put(LEFT, 700, "References", 12, "B"),
        *column(LEFT, 680, [
            "[1] C. Babbage. Spikes in engines. Journal of Engines,",
            "1837. The first machine that had spikes of its loss.",
            "[2] G. Boole. Laws of thought and of gradients, 1854.",
        ]),
        Put(RIGHT, 700, "A Proofs", 12, "B"),
        *column(RIGHT, 680, [
            "The bound of Section 2 follows from the triangle",
            "inequality applied to two gradients of one batch.",
        ]),
    ]  # fmt: skip
    return paper_pdf([first, second, third])


def loss_spikes_html() -> str:
    """The same paper as arXiv's HTML has it."""
    mark = '<sup class="ltx_note_mark">1</sup>'
    note = (
        f'<span class="ltx_note ltx_role_footnote">{mark}<span class="ltx_note_outer">'
        f'<span class="ltx_note_content">{mark}The code is available from the authors.</span></span></span>'
    )
    return f"""<!DOCTYPE html><html><head><script>let x = "no text";</script></head><body>
<nav class="ltx_TOC"><p>1 Introduction</p></nav><article class="ltx_document">
<h1 class="ltx_title ltx_title_document">On Loss Spikes in Large Models</h1>
<div class="ltx_authors"><p>Ada Lovelace</p></div>
<div class="ltx_abstract"><h6 class="ltx_title ltx_title_abstract">Abstract</h6>
<p class="ltx_p">We trace <math alttext="41" display="inline"><mn>41</mn></math> spikes to single
batches{note}, and propose a filter.</p></div><section class="ltx_section" id="S1">
<h2 class="ltx_title ltx_title_section"><span class="ltx_tag">1 </span>Introduction</h2>
<div class="ltx_para"><p class="ltx_p">A spike has the height</p>
<table class="ltx_equation"><tr><td><math alttext="h=L"></math></td></tr></table>
<p class="ltx_p">where the loss is <cite class="ltx_cite">[<a href="#b">3</a>]</cite> the last one.</p></div>
<figure class="ltx_figure"><figcaption class="ltx_caption"><span class="ltx_tag">Figure 1: </span>Loss over
steps.</figcaption></figure><section class="ltx_subsection">
<h3 class="ltx_title ltx_title_subsection"><span class="ltx_tag">1.1 </span>Setup</h3>
<ul><li><p class="ltx_p">We use 7 and 70 billion parameters.</p></li></ul><figure class="ltx_table">
<table class="ltx_tabular"><tr><td><p class="ltx_p">batch twenty eighteen</p></td></tr></table>
<figcaption class="ltx_caption">Table 2: Spikes by cause.</figcaption></figure></section></section>
<section class="ltx_bibliography"><h2 class="ltx_title">References</h2><p>C. Babbage. Engines.</p></section>
<section class="ltx_appendix"><h2 class="ltx_title ltx_title_appendix">Appendix A Proofs</h2>
<p class="ltx_p">The bound follows from the triangle inequality.</p></section></article></body></html>"""
