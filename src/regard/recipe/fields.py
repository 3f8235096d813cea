"""What a field of a recipe may be: types that check, and say in words what they let through."""

from functools import lru_cache
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from regard.errors import RecipeError, nearest

LARGEST = 2**31 - 1  # of any number in a recipe
LONG = 60  # characters of a value that an error repeats

Count = Annotated[int, Meta(gt=0, le=LARGEST, description="a whole number above 0")]
Natural = Annotated[int, Meta(ge=0, le=LARGEST, description="a whole number from 0")]
Amount = Annotated[float, Meta(gt=0, le=LARGEST, description="a number above 0")]
Weight = Annotated[float, Meta(ge=0, le=LARGEST, description="a number from 0")]
Share = Annotated[float, Meta(ge=0, lt=1, description="a share: a number from 0 to below 1")]
Dilations = Annotated[tuple[Count, ...], Meta(min_length=1, description="a list of whole numbers above 0")]


class Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all parts of a recipe share: immutable, by keyword, every field as its type says."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            checked(type(self), name, getattr(self, name))


def checked(spec: type[Spec], name: str, value: Any) -> Any:
    """The value as the field's type has it; TOML's lists become tuples."""
    if isinstance(value, Spec):
        return value
    hint = hints(spec)[name]
    try:
        return msgspec.convert(value, hint)
    except msgspec.ValidationError:
        near = nearest(value, literals(hint)) if isinstance(value, str) else ""
        raise RecipeError(f"{name} is {shown(value)}; it must be {words(hint)}{near}") from None


@lru_cache
def hints(spec: type[Spec]) -> dict[str, Any]:
    return get_type_hints(spec, include_extras=True)


def literals(hint: Any) -> tuple[str, ...]:
    return get_args(hint) if get_origin(hint) is Literal else ()


def words(hint: Any) -> str:
    """What a field may be, in words."""
    if get_origin(hint) is Annotated:
        return next(meta.description for meta in hint.__metadata__ if meta.description)
    if get_origin(hint) is Literal:
        return f"one of {', '.join(get_args(hint))}"
    if get_origin(hint) is tuple:
        return f"a list, each {words(get_args(hint)[0])}"
    inner = [option for option in get_args(hint) if option is not NoneType]
    return words(inner[0]) if len(inner) == 1 else {bool: "true or false", str: "a text"}.get(hint, "a table of keys")


def shown(value: Any) -> str:
    """A value as TOML writes it, cut where it is long."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= LONG else f"{text[:LONG]}..."
