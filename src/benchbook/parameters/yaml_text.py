"""YAML that a user wrote, as plain values: bounded, each name once, no aliases, no endless numbers.

A number is what it says in decimal, as papermill reads it too: 010 is ten and 1e6 a million. YAML 1.1 takes 010 for
eight, 1:30 for ninety, 0x10 for sixteen, 1e6 for a text and "no" for false. Here all but decimal numbers, true, false
and null are texts, and a parameter that is a number refuses a text.
"""

import re
from typing import Any

import yaml
from yaml.constructor import ConstructorError

from benchbook.errors import shortened

MOST_CHARACTERS = 10_000
"""The longest value and the longest file; a profile has some hundred characters, and YAML is read slowly."""
_MOST_BITS = 1024
_DIGITS = r"[0-9]+(?:_[0-9]+)*"
_PLAIN = {
    "null": (r"~|null|Null|NULL|", "~nN\0"),
    "bool": (r"true|True|TRUE|false|False|FALSE", "tTfF"),
    "int": (rf"[-+]?{_DIGITS}", "-+0123456789"),
    "float": (
        rf"[-+]?(?:(?:{_DIGITS}\.(?:{_DIGITS})?|\.{_DIGITS})(?:[eE][-+]?[0-9]+)?|{_DIGITS}[eE][-+]?[0-9]+)"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        "-+.0123456789",
    ),
}
"""What a scalar without quotes is: the form of each kind, and with which characters it can begin; NUL: with none."""


class Loader(yaml.SafeLoader):
    """Plain values; refuses what a parameter never needs and what would silently lose a part of the text."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise ConstructorError(problem="an alias cannot be used here", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            if key.value in seen:
                problem = f"{shortened(key.value)!r} is set twice"
                raise ConstructorError(problem=problem, problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)

    def construct_yaml_int(self, node: Any) -> int:
        value = int(self.construct_scalar(node))
        if value.bit_length() > _MOST_BITS:
            raise ValueError("a number has too many digits")
        return value

    def construct_yaml_float(self, node: Any) -> float:
        text = self.construct_scalar(node).lower()
        return float(text.replace(".inf", "inf").replace(".nan", "nan"))


Loader.add_constructor("tag:yaml.org,2002:int", Loader.construct_yaml_int)
Loader.add_constructor("tag:yaml.org,2002:float", Loader.construct_yaml_float)
Loader.yaml_implicit_resolvers = {}  # none of YAML 1.1's
for _kind, (_form, _beginnings) in _PLAIN.items():
    Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_kind}", re.compile(rf"(?:{_form})\Z"), [each.strip("\0") for each in _beginnings]
    )


def read(text: str) -> Any:
    """The value of a YAML text; raises ValueError that says in a line what is wrong with it."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"it is longer than {MOST_CHARACTERS:,} characters")
    try:
        return yaml.load(text, Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ValueError(f"{error.problem or error.context}{f', line {mark.line + 1}' if mark else ''}") from None
    except yaml.YAMLError as error:
        raise ValueError(str(error).splitlines()[0]) from None
    except RecursionError:
        raise ValueError("its lists are nested too deep") from None
