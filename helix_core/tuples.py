"""``NamedTuple`` as ``typing`` has it, made with a tenth of the work: a search imports more than a hundred.

``typing.NamedTuple`` compiles each annotation and the text of a constructor, for every class. Here the constructors of
classes with as many fields share their code, under each class's own names.
"""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

__all__ = ["NamedTuple"]

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    _Field = type(namedtuple("_One", "value").value)
    _GLOBALS = {"__name__": __name__, "__builtins__": {}, "_new": tuple.__new__}

    class _Fields(tuple):
        __slots__ = ()

        @classmethod
        def _make(cls, values):
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **changed):
            made = self._make(map(changed.pop, self._fields, self))
            if changed:
                raise ValueError(f"Got unexpected field names: {list(changed)!r}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            fields = zip(self._fields, self, strict=True)
            return f"{type(self).__name__}({', '.join([f'{name}={value!r}' for name, value in fields])})"

        def __getnewargs__(self):
            return tuple(self)

    class _Maker(type):
        def __new__(cls, name, _bases, namespace):
            annotations = namespace.get("__annotations__", {})
            fields = tuple(annotations)
            defaults = {field: namespace[field] for field in fields if field in namespace}
            if [*defaults] != [*fields[len(fields) - len(defaults) :]]:
                raise TypeError(f"a field of {name} without a default follows one that has a default")
            code = _constructor(len(fields)).replace(co_varnames=("_cls", *fields))
            new = FunctionType(code, _GLOBALS, "__new__", tuple(defaults.values()))
            new.__qualname__, new.__annotations__ = f"{name}.__new__", annotations
            namespace |= {field: _Field(place, "") for place, field in enumerate(fields)}
            namespace |= {"__slots__": (), "__new__": new, "__match_args__": fields}
            namespace |= {"_fields": fields, "_field_defaults": defaults}
            return type(name, (_Fields,), namespace)

    @cache
    def _constructor(count: int) -> CodeType:
        names = "".join([f"_{place}, " for place in range(count)])
        return eval(f"lambda _cls, {names}: _new(_cls, ({names}))", {}).__code__

    _base = (type.__new__(_Maker, "NamedTuple", (), {}),)

    def NamedTuple() -> Any:  # noqa: N802
        """Make a class whose body annotates its fields; as ``typing.NamedTuple``, for use as the only base."""

    NamedTuple.__mro_entries__ = lambda _bases: _base
