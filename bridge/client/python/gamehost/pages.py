"""Reads a list page by page, as the description's ``x-pagination`` says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import attrs

from .errors import GamehostError
from .values import Model

Item = TypeVar("Item")
Method = TypeVar("Method", bound=Callable[..., object])

_MARK = "paged"


@attrs.define(kw_only=True)
class Page(Model, Generic[Item]):
    """The result of a method that reads one page. It tells the compiler what ``paginate`` yields."""


@attrs.frozen(kw_only=True)
class Paged:
    """Marks a method with how ``paginate`` reads its list."""

    list: str
    parameter: str
    field: str | None
    size: str | None
    more: str | None
    length: int | None

    def __call__(self, method: Method) -> Method:
        setattr(method, _MARK, self)
        return method


def read_pages(method: Callable[..., Page[Item]], arguments: dict[str, Any]) -> Iterator[Item]:
    paged: Paged = getattr(method, _MARK)
    if paged.size:
        # Sent with each call, so that a shorter page is the last one whatever the host's default is.
        arguments.setdefault(paged.size, paged.length)
    previous = None
    while True:
        page = method(**arguments)
        items: list[Item] = getattr(page, paged.list)
        if not items:
            return
        if items[-1] == previous:
            message = f"The host answers the same page again, whatever {paged.parameter} is"
            raise GamehostError("unexpected_response", message)
        yield from items
        has_more = (
            getattr(page, paged.more) if paged.more else len(items) >= arguments[paged.size or ""]
        )
        if not has_more:
            return
        previous = items[-1]
        if paged.field is None:
            arguments[paged.parameter] = arguments.get(paged.parameter, 1) + 1
        else:
            arguments[paged.parameter] = getattr(previous, paged.field)
