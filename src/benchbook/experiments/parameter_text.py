"""YAML that a user wrote, as plain values: bounded, each name once, no aliases, no endless numbers."""

from __future__ import annotations

from typing import Any

import yaml
from yaml.constructor import ConstructorError

from benchbook.errors import shortened

MOST_CHARACTERS = 10_000
"""The longest value and the longest file; a profile has some hundred characters, and YAML is read slowly."""
_MOST_BITS = 1024


class _Loader(yaml.SafeLoader):
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
        value = int(super().construct_yaml_int(node))
        if value.bit_length() > _MOST_BITS:
            raise ValueError("a number has too many digits")
        return value


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)


def read(text: str) -> Any:
    """The value of a YAML text; raises ValueError that says in a line what is wrong with it."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"it is longer than {MOST_CHARACTERS:,} characters")
    try:
        return yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ValueError(f"{error.problem or error.context}{f', line {mark.line + 1}' if mark else ''}") from None
    except yaml.YAMLError as error:
        raise ValueError(str(error).splitlines()[0]) from None
    except RecursionError:
        raise ValueError("its lists are nested too deep") from None
