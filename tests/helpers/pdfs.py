"""PDFs written by hand, with what no printer writes."""

import functools
import zlib

SCRIPT = b"/OpenAction << /S /JavaScript /JS (app.alert(1)) >>"


def pdf(objects, stream=b"BT ET", extra=b""):
    """A PDF from its parts, with a right table of them."""
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R " + extra + b" >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 "
        b"R >> >> >>",
        b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(stream), objects, stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    return assemble(parts)


def assemble(parts):
    out, places = b"%PDF-1.7\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(parts) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(parts) + 1, start)


@functools.cache
def bomb():
    """A page of half a gigabyte of text operators in a few kilobytes."""
    text, times = b"BT /F 9 Tf (publication) Tj ET\n" * 40_000, 420
    packed = zlib.compressobj(9, wbits=-15)
    block = packed.compress(text) + packed.flush(zlib.Z_FULL_FLUSH)
    checksum = 1
    for _ in range(times):
        checksum = zlib.adler32(text, checksum)
    # The text is packed once and its block repeated: packing half a gigabyte takes seconds.
    data = b"\x78\xda" + block * times + b"\x03\x00" + checksum.to_bytes(4, "big")
    once = zlib.compress(data, 9)
    return pdf(b"/Filter [/FlateDecode /FlateDecode]", once)


def many_pages(count=10_000):
    kids = b" ".join(b"%d 0 R" % (3 + n) for n in range(count))
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>"
    return assemble(
        [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count)]
        + [page] * count
    )


def looped():
    """Page trees that contain themselves."""
    return assemble(
        [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 99999999 >>"]
    )
