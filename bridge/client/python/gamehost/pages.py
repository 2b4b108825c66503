"""Reads a list page by page, as the description's ``x-pagination`` says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import attrs

from .errors import GamehostError
from .values import Model

Item = TypeVar("Item")
Method = TypeVar("Method", bound=Callable[..., object])

_MARK = "pagination"


@attrs.define(kw_only=True)
class Page(Model, Generic[Item]):
    """The result of a method that reads one page. It tells the compiler what ``paginate`` yields."""


@attrs.frozen
class Pagination:
    """How one list is read."""

    list: str
    parameter: str
    field: str | None
    size: str | None
    more: str | None
    length: int | None


def paged(**pagination: Any) -> Callable[[Method], Method]:
    """Mark a method that ``paginate`` can read."""

    def mark(method: Method) -> Method:
        setattr(method, _MARK, Pagination(**pagination))
        return method

    return mark


def read_pages(method: Callable[..., Page[Item]], arguments: dict[str, Any]) -> Iterator[Item]:
    paging: Pagination = getattr(method, _MARK)
    if paging.size:
        # Sent with each call, so that a shorter page is the last one whatever the host's default is.
        arguments.setdefault(paging.size, paging.length)
    previous = None
    while True:
        page = method(**arguments)
        items: list[Item] = getattr(page, paging.list)
        if not items:
            return
        if items[-1] == previous:
            message = f"The host answers the same page again, whatever {paging.parameter} is"
            raise GamehostError("unexpected_response", message)
        yield from items
        if paging.more is None:
            has_more = len(items) >= arguments[paging.size or ""]
        else:
            has_more = getattr(page, paging.more) is True
        if not has_more:
            return
        previous = items[-1]
        if paging.field is None:
            arguments[paging.parameter] = arguments.get(paging.parameter, 1) + 1
        else:
            arguments[paging.parameter] = getattr(previous, paging.field)
