"""Run a verb that asks, with plain arguments, without the parser of the command line: its import takes a tenth of the
time of a search.

What is plain is read from the verb's own declaration: one question, and each option once, by its name, with a value of
its type. For all else, such as ``--help`` or a misuse, nothing is run here, and the parser says what there is to say.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from types import FunctionType, TracebackType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from helix_core.errors import HelixError
from helix_core.tuples import NamedTuple
from helix_ls.cli.delegate import INTERRUPTED
from helix_ls.cli.options import OptionDeclaration
from helix_ls.cli.output import CommandEndedError, complain, environment, fill_closed_streams, use_utf8
from helix_ls.host.parent import interrupts_first
from helix_ls.operations.persons import refuse_agents

VERBS = ("search", "packet", "context")
# A shell that completes a command sets it (click, "Shell Completion").
_COMPLETES = "_HELIX_COMPLETE"


def run_directly(arguments: Sequence[str]) -> int | None:
    """Return the exit status of a verb that was run with plain arguments, or None for the parser to read them."""
    if not arguments or arguments[0] not in VERBS or _COMPLETES in os.environ:
        return None
    set_up_streams()
    name = arguments[0]
    verb = getattr(import_module(f"helix_ls.cli.{name}"), name)
    given = plain_arguments(verb, arguments[1:])
    if given is None:
        return None

    def run() -> None:
        refuse_agents(name, given, arguments, environment())
        with interrupts_first(CommandEndedError):
            verb(**given)

    return exit_status(run)


def set_up_streams() -> None:
    """Make standard streams and unexpected exceptions what a command relies on."""
    fill_closed_streams()
    use_utf8()
    sys.excepthook = _one_line


def exit_status(run: Callable[[], object]) -> int:
    """Run a command, report its failure as one line, and return the exit status."""
    try:
        status = run()
    except CommandEndedError as end:
        return end.status
    except HelixError as error:
        complain(str(error))
        return 2 if error.usage else 1
    except KeyboardInterrupt:
        complain(INTERRUPTED)
        return 130
    except OSError as error:
        where = f" ({error.filename})" if isinstance(error.filename, str) else ""
        complain(f"{error.strerror or error}{where}; check that the folder is there, writable and has free space")
        return 1
    return status if isinstance(status, int) else 0


def _one_line(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Report an unexpected exception as one line, with how to get its traceback."""
    if os.environ.get("HELIX_DEBUG"):
        sys.__excepthook__(kind, error, trace)
    else:
        complain(f"an internal error: {kind.__name__}: {error}; set HELIX_DEBUG=1 for details, and report it")


class _PlainParameter(NamedTuple):
    """A parameter of a verb: ``kind`` is the type of its value, or of each of its values where it ``is_list``."""

    name: str
    declared: OptionDeclaration
    kind: type
    is_list: bool

    def value(self, typed: str) -> Any:
        """Return the value, None where it is no such value."""
        if not typed:
            return None
        try:
            return self.declared.parser(typed) if self.declared.parser is not None else self.kind(typed)
        except ValueError:
            return None


def _parameters(verb: FunctionType) -> list[_PlainParameter]:
    hints = get_type_hints(verb, include_extras=True)
    return [_parameter(name, hint) for name, hint in hints.items() if name != "return"]


def _parameter(name: str, hint: Any) -> _PlainParameter:
    wanted, declared, *_ = get_args(hint)
    if get_origin(wanted) in (Union, UnionType):
        wanted = next(each for each in get_args(wanted) if each is not type(None))
    is_list = get_origin(wanted) is list
    return _PlainParameter(name, declared, get_args(wanted)[0] if is_list else wanted, is_list)


def plain_arguments(verb: FunctionType, arguments: Sequence[str]) -> dict[str, Any] | None:
    """Return what a verb is called with, by parameter, as the parser would; None where it is to read them itself."""
    parameters = _parameters(verb)
    flags = {flag: each for each in parameters for flag in each.declared.flags}
    positional = [each for each in parameters if not each.declared.flags]
    given: dict[str, Any] = {}
    left = iter(arguments)
    for argument in left:
        if argument == "-" or not argument.startswith("-"):
            if not positional:
                return None
            parameter, typed = positional.pop(0), argument
        else:
            flag, is_joined, typed = argument.partition("=")
            found = flags.get(flag)
            if found is None or (is_joined and not flag.startswith("--")):
                return None
            parameter = found
            if parameter.kind is bool:
                if is_joined or parameter.name in given:
                    return None
                given[parameter.name] = True
                continue
            typed = typed if is_joined else next(left, "")
            if typed.startswith("-"):
                return None
        if not _took(given, parameter, typed):
            return None
    return None if positional else _defaults(verb) | given


def _defaults(verb: FunctionType) -> dict[str, Any]:
    code, values = verb.__code__, verb.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    return dict(zip(names, values, strict=True)) | (verb.__kwdefaults__ or {})


def _took(given: dict[str, Any], parameter: _PlainParameter, typed: str) -> bool:
    """Add a value to what is ``given``; False where it is no value, or the second of an option that has one."""
    value = parameter.value(typed)
    if value is None:
        return False
    if parameter.is_list:
        given.setdefault(parameter.name, []).append(value)
        return True
    if parameter.name in given:
        return False
    given[parameter.name] = value
    return True
