"""Store each object of a PDF only once; the pages stay the same.

Chromium stores a hatched or transparent area as a picture, once for each bar or line that has it, so that a figure of
60 hatched bars takes 19 MB. The pictures are alike.
"""

from __future__ import annotations

from io import BytesIO

from pypdf import PdfReader, PdfWriter


def each_object_once(pdf: bytes) -> bytes:
    """The PDF without repeated objects, never longer than it came.

    Repeated until nothing is gained: two pictures are alike only after the masks that they name have become one.
    """
    shortest = pdf
    while len(shorter := _once(shortest)) < len(shortest):
        shortest = shorter
    return shortest


def _once(pdf: bytes) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf)))
    writer.compress_identical_objects(remove_duplicates=True, remove_unreferenced=True)
    written = BytesIO()
    writer.write(written)
    return written.getvalue()
