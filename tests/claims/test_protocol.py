"""The protocol stands still: what it consists of has the hash of its last version."""

import hashlib
from datetime import datetime
from pathlib import Path

from benchbook.claims import protocol

ROOT = Path(__file__).parents[2]
PARTS = (
    "book/methods.md", "data/claims.csv", "data/claims-amendments.csv", "src/benchbook/claims/*.py",
    "src/benchbook/statistics/*.py",
    *(f"src/benchbook/numbers/{name}.py" for name in ("body", "estimands", "hosts", "judging", "looks", "retest")),
)  # fmt: skip
"""The rules in words, the claims with their regions and quantities, and the code that judges."""


def test_nothing_of_the_protocol_changed_since_it_was_frozen() -> None:
    digest = hashlib.sha256()
    for path in sorted(found for part in PARTS for found in ROOT.glob(part)):
        digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    last = protocol.versions(ROOT)[-1]
    assert last["sha256"] == digest.hexdigest(), (
        "a rule, a region or a quantity is not as it was frozen: take the change back, or name it as a new version in "
        "data/protocol.csv, with its reason"
    )


def test_versions_follow_each_other_and_say_why() -> None:
    every = protocol.versions(ROOT)
    assert every[0]["version"] == "1.0"
    assert all(each["reason"] for each in every)
    assert [each["frozen"] for each in every] == sorted(
        datetime.fromisoformat(each["frozen"]).isoformat() for each in every
    )
    assert protocol.frozen(ROOT) == every[0]["frozen"]
