"""What a run's record calls the processor that it was measured on."""

import re
from collections.abc import Mapping
from typing import Any

_MODEL = re.compile(r"\d+-\d+-\d+")


def processor_name(provenance: Mapping[str, Any]) -> str:
    """A processor's name without what every name has, such as "Intel Xeon"."""
    return str(provenance.get("processor") or "").replace("(R)", "").removesuffix(" Processor")


def model_of(provenance: Mapping[str, Any]) -> str:
    """The processor's model and stepping, such as "AMD EPYC 25-17-1"; its bare name where no run recorded them."""
    name, found = processor_name(provenance), _model(provenance)
    return f"{name} {found[0]}".strip() if found else name


def model_known(provenance: Mapping[str, Any]) -> bool:
    """Whether a run recorded model and stepping of its processor."""
    return bool(_model(provenance))


def _model(provenance: Mapping[str, Any]) -> re.Match[str] | None:
    return _MODEL.match(str(provenance.get("processor_model") or ""))
