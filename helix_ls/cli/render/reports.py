"""Render the answers of the other verbs: index runs, status, doctor, settings, daemon, vectors, benchmarks."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from helix_core.engine.indexing import EMPTY_FOLDER
from helix_core.engine.requests import NOT_COMPARED, NOT_IN_OWNER, no_use
from helix_core.printable import count, inert_line, one_line
from helix_core.workspace import path_of, uri_of
from helix_ls.cli.render.page import UNCHANGED, Page, dim, duration, grid, left_out, mark, reason_of, size
from helix_ls.cli.render.styled import Styled

_CHANGES = (
    ("added", "added"),
    ("changed", "changed"),
    ("removed", "removed"),
    ("reactivated", "restored"),
)
MOST_SHOWN = 20


def draw_index(report: dict[str, Any]) -> None:
    """Print what an indexing run changed."""
    page = Page()
    counts = [f"{report[key]:,} {word}" for key, word in _CHANGES if report.get(key)]
    page.line(
        Styled("✓ ", style="bold green"),
        f"{count(report['files'], 'file')} in the index",
        dim(f" · {', '.join(counts) or 'no changes'} · {duration(report['elapsed_ms'])}"),
    )
    if not report["files"] and not report["set_aside"]:
        page.line("  ", EMPTY_FOLDER)
    if skipped := report["skipped"]:
        by_reason = ", ".join(f"{number:,} {left_out(reason)}" for reason, number in sorted(skipped.items()))
        page.line("  ", dim(f"{count(sum(skipped.values()), 'file')} left out: {by_reason}"))
    if report.get("masked"):
        page.line("  ", dim(f"{count(report['masked'], 'secret')} masked"))
    set_aside = report["set_aside"]
    if set_aside:
        how_many = count(len(set_aside), "file")
        page.line(Styled(f"! {how_many} set aside and not searched; tried again later:", style="yellow"))
    for file in set_aside[:MOST_SHOWN]:
        page.line("  ", Styled(f"{one_line(file['source_id'])} ({one_line(file['reason'])})", style="yellow"))
    if len(set_aside) > MOST_SHOWN:
        page.line("  ", dim(f"… and {len(set_aside) - MOST_SHOWN:,} more: helix status --skipped"))
    for note in report["notes"]:
        page.line("  ", dim(f"· {note}"))
    page.show()


MOST_FILES_SHOWN = 20


def draw_status(status: dict[str, Any]) -> None:
    """Print the status of a workspace and its index."""
    page = Page()
    page.line(_freshness(status), "  ", Styled(one_line(status["workspace"]), style="bold"))
    rows = grid()
    index = status["index"]
    rows.add_row(
        dim("  index"),
        f"{count(index['files'], 'file')}, {count(index['items'], 'item')}, {size(index['size_bytes'])}",
    )
    rows.add_row(dim("  stored in"), one_line(index["path"]))
    if git := status["git"]:
        under_way = f", {git['operation']} under way" if git["operation"] else ""
        rows.add_row(
            dim("  git"), f"{one_line(git['branch']) or 'detached'} {git['head'][:8] or 'no commit yet'}{under_way}"
        )
    if languages := status.get("languages"):
        most = sorted(languages.items(), key=lambda pair: (-pair[1], pair[0]))
        rows.add_row(dim("  languages"), ", ".join(f"{name} {number:,}" for name, number in most[:8]))
    if unready := [f"{name} {share:.0%}" for name, share in sorted(status["vectors"].items()) if share < 1]:
        rows.add_row(dim("  vectors"), one_line(", ".join(unready)))
    if skipped := status["skipped"]:
        counts = ", ".join(f"{number:,} {left_out(reason)}" for reason, number in sorted(skipped.items()))
        rows.add_row(dim("  left out"), counts)
    page.table(rows)
    for note in status["notes"]:
        page.line("  ", dim(f"· {note}"))
    for file in status["set_aside"][:MOST_FILES_SHOWN]:
        tries = count(file["attempts"], "try", "tries")
        page.line(
            "  ",
            Styled(f"set aside: {one_line(file['source_id'])} ({one_line(file['reason'])}, {tries})", "yellow"),
        )
    if "skipped_files" in status:
        page.space()
        listed = grid()
        for file in status["skipped_files"]:
            listed.add_row(dim(f"  {left_out(file['reason'])}"), one_line(file["source_id"]))
        page.table(listed)
    page.show()


def _freshness(status: dict[str, Any]) -> Styled:
    if "indexing" in status:
        return Styled(f"~ {_being_indexed(status['indexing'])}", style="bold yellow")
    if not status["indexed"]:
        return Styled("! not indexed yet: helix index", style="bold red")
    if status["fresh"]:
        return Styled("✓ fresh", style="bold green")
    pending = status["pending"]
    counts = f"{pending['changed_or_new']:,} changed or new, {pending['gone']:,} gone"
    if status["set_aside"]:
        counts += f", {len(status['set_aside']):,} set aside"
    return Styled(f"~ {counts}", style="bold yellow")


def _being_indexed(indexing: dict[str, Any]) -> str:
    """Return by whom the folder is being indexed, and how far that is."""
    who = f"by {one_line(indexing['by'])} (process {indexing['pid']})" if indexing["pid"] else "by another process"
    if indexing["total"] == indexing["done"]:
        return f"being indexed {who}"
    return f"being indexed {who}: {indexing['done']:,} of {count(indexing['total'], 'file')}"


_SIGNS = {"ok": ("✓", "green"), "warn": ("~", "yellow"), "fail": ("!", "red")}


def draw_doctor(answer: dict[str, Any]) -> None:
    """Print the checks, each failed one with its next action."""
    page, rows = Page(), grid()
    rows.add_column()
    # A path that was cut could not be looked at.
    rows.add_column(overflow="fold")
    for check in answer["checks"]:
        sign, colour = _SIGNS[check["state"]]
        rows.add_row(Styled.assemble((f"{sign} ", f"bold {colour}"), check["name"]), dim(check["detail"]))
        if check["action"]:
            rows.add_row("", Styled(one_line(check["action"]), style=colour))
    page.table(rows)
    page.show()


def draw_config(answer: dict[str, Any]) -> None:
    """Print every setting with its origin and meaning, then the files that are read."""
    page = Page()
    for each in answer["settings"]:
        changed = each["origin"] != "default"
        value = ", ".join(each["value"]) if isinstance(each["value"], list | tuple) else str(each["value"])
        came_from = f"{each['origin']} {each['place']}".strip()
        page.line(
            Styled(each["key"], style="bold"),
            " = ",
            Styled(one_line(value) or "(none)", style="green" if changed else ""),
            dim(f"   from {came_from}" if changed else "   default"),
        )
        page.line("    ", dim(f"{each['meaning']} · {each['variable']}"))
    page.space()
    for file in answer["files"]:
        page.line(dim(f"{file['role']} file  "), one_line(file["path"]), dim("" if file["exists"] else "  (none)"))
    page.show()


def draw_daemon(answer: dict[str, Any]) -> None:
    """Print the state of the daemon."""
    page = Page()
    if "lines" in answer:
        for line in answer["lines"]:
            page.line(one_line(line))
    elif answer["running"]:
        _draw_running(page, answer)
    elif answer.get("stopped"):
        page.line(Styled(f"✓ stopped {answer['pid']}", style="bold green"))
    else:
        page.line("no daemon is running; an editor starts it when needed")
    page.show()


def _draw_running(page: Page, answer: dict[str, Any]) -> None:
    clients = count(answer["clients"] - 1, "other client")
    page.line(Styled(f"✓ running as {answer['pid']}", style="bold green"), f"  version {answer['version']}, {clients}")
    rows = grid()
    for workspace in answer["workspaces"]:
        rows.add_row(
            dim(f"  {workspace['state']}"), one_line(workspace["workspace"]), dim(f"watching: {workspace['watching']}")
        )
    rows.add_row(dim("  loop"), f"kept waiting {answer['loop_lag_ms']:.1f} ms at most in the last minute")
    rows.add_row(dim("  log"), one_line(answer["log"]))
    page.table(rows)


def draw_embed(answer: dict[str, Any]) -> None:
    """Print the answer of ``helix embed``."""
    page = Page()
    built_in = answer["model"] == "static"
    page.line(Styled("built-in vectors" if built_in else one_line(answer["model"]), style="bold"))
    rows = grid()
    if not built_in:
        rows.add_row(dim("  from"), f"{one_line(answer['source'])}, {answer['dimensions']} dimensions")
        rows.add_row(dim("  stored in"), one_line(answer["folder"]))
    if "reranker" in answer:
        use = "used by hosts" if answer["rerank"] else "not used: search.rerank is off"
        rows.add_row(dim("  reranker"), f"{one_line(answer['reranker'])}, {use}")
    if "rerank_ms" in answer:
        from helix_core.search import MOST_PLACES

        took_ms, budget_ms = answer["rerank_ms"], answer["rerank_budget_ms"]
        read = "all" if took_ms <= budget_ms else f"about {int(MOST_PLACES * budget_ms / took_ms)}"
        cost = f"{took_ms:.0f} ms of one core, timed; an answer's budget of {budget_ms:g} ms reads {read} of them"
        rows.add_row(dim(f"  {MOST_PLACES} long places"), cost)
    for name, share in sorted(answer["shares"].items()):
        rows.add_row(dim(f"  {one_line(name)}"), f"{share:.0%}")
    page.table(rows)
    if answer["problem"]:
        page.line("  ", Styled(one_line(answer["problem"]), style="yellow"))
    page.show()


def draw_recommendation(answer: dict[str, Any]) -> None:
    """Print the answer of ``helix embed setup --recommend``."""
    page = Page()
    if not answer["indexed"]:
        page.line(Styled("! not indexed yet: helix index", style="bold red"))
    page.line(Styled(f"{answer['recommended']}", style="bold"), f": {answer['why']}", indent=2)
    if answer["next"]:
        page.line(dim("  next: "), answer["next"], indent=4)
    memory = size(answer["memory_bytes"]) if answer["memory_bytes"] else "an unknown amount"
    machine = f"{count(answer['cores'], 'core')}, {memory} of memory, {count(answer['files'], 'indexed file')}"
    page.line(dim(f"  {machine}, {count(answer['texts'], 'text')} to embed"), indent=2)
    for each in answer["candidates"]:
        page.space()
        sign = Styled("✓ " if each["fits"] else "! ", style="green" if each["fits"] else "yellow")
        page.line(sign, each["name"], dim("  set up" if each["set_up"] else ""))
        download = _figure(each, "download_mb", "to get") or "nothing to get"
        memory = _figure(each, "memory_mb", "of memory")
        told = (download, memory, f"{each['dimensions']} dimensions", each["license"], each["said"])
        page.line(dim(f"  {', '.join(filter(None, told))}"), indent=2)
        page.line(f"  {each['problem'] or each['why']}", indent=2)
    page.show()


def _figure(candidate: dict[str, Any], name: str, what: str) -> str:
    """Return a candidate's size with what it is of; "" for none."""
    about = "about " if name in candidate["estimated"] else ""
    return f"{about}{candidate[name]:,} MB {what}" if candidate[name] else ""


_STYLES = {"ship": "bold green", "slower": "yellow", "no_gain": "yellow", "worse": "bold red", "undecided": "yellow"}


def draw_run(run: dict[str, Any], kept: Path) -> None:
    """Print the figures that are not in doubt."""
    page = Page()
    rows = grid()
    for name, one in (run["figures"] or {}).items():
        rows.add_row(f"  {name}", f"{one['mean']:.3f}", dim(f"{one['low']:.3f} to {one['high']:.3f}"))
    for name, share in (run["abstention"] or {}).items():
        rows.add_row(f"  {name.replace('_', ' ')}", f"{share:.3f}", "")
    if latency := run["latency_ms"]:
        rows.add_row(
            "  latency", f"{latency['p50']:.1f} ms", dim(f"p95 {latency['p95']:.1f}, max {latency['max']:.1f} ms")
        )
    head = run["code"]["head"][:8]
    where = f" · HEAD {head}{' with changes' if run['code']['dirty'] else ''}" if head else ""
    asked = count(run["questions"]["count"], "question")
    page.line(
        Styled("✓ " if run["figures"] else "! ", style="bold green" if run["figures"] else "bold red"),
        f"{asked} asked",
        dim(f" · {count(run['index']['files'], 'file')}{where} · CPU {run['cpu_s']:.1f} s of {run['elapsed_s']:.1f} s"),
    )
    page.table(rows)
    page.line(dim(f"  {one_line(str(kept))}"))
    page.show()


def draw_comparison(found: dict[str, Any]) -> None:
    """Print the decision and its evidence."""
    page = Page()
    page.line(Styled(found["decision"].replace("_", " "), style=_STYLES[found["decision"]]), f"  {found['why']}")
    rows = grid()
    for name, one in found["differences"].items():
        rows.add_row(f"  {name}", f"{one['mean']:+.3f}", dim(f"{one['low']:+.3f} to {one['high']:+.3f}"))
    if ratio := found["latency_ratio"]:
        rows.add_row("  latency", f"× {ratio['mean']:.2f}", dim(f"{ratio['low']:.2f} to {ratio['high']:.2f}"))
    page.table(rows)
    for note in found["notes"]:
        page.line("  ", dim(f"· {note}"))
    page.show()


_AROUND = ("overrides", "users", "tests", "documents")
_OF_NAME = ("definitions", "overrides", "users", "tests", "documents", "same_name")
_WORDS_OF = {"same_name": "same name"}


def draw_uses(answer: dict[str, Any], workspace: Path, shown: Collection[str] = ()) -> None:
    """Print who uses, overrides, tests and documents a name, a line for each place, marks included."""
    page = Page()
    of_others = f"no {answer['name'][:80]} {NOT_IN_OWNER} "
    lead = next((note for note in answer["notes"] if note.startswith(of_others)), "")
    if lead:
        # What follows is of another owner than the one that was asked for.
        page.line(Styled(inert_line(lead), style="bold yellow"))
        page.space()
    totals = [_total(answer, kind) for kind in ("user", "test")]
    symbols = {place["symbol"] for place in answer["definitions"]}
    # What is counted is of all definitions that are meant.
    name, what = (answer["symbol"], answer["kind"])
    if len(symbols) > 1:
        name, what = answer["name"], count(answer["definitions_total"], "definition")
    page.line(Styled(inert_line(name), style="bold"), dim(f" · {what} · {' · '.join(totals)}"))
    for kind in _OF_NAME:
        places = answer[kind]
        if kind == "same_name":
            places = [place for place in places if place not in answer["overrides"]]
        _draw_places(page, _WORDS_OF.get(kind, kind), places, workspace)
        more = answer.get(f"{kind}_total", 0) - answer["offset"] - len(places)
        if places and more > 0:
            is_exact = answer["totals_exact"] or kind == "definitions"
            others = "; name one as Owner.name or module.name" if kind == "definitions" else ""
            page.line("  ", dim(f"… and {'' if is_exact else 'about '}{more:,} more{others}"))
    if partners := [place for place in answer["co_changed"] if place["status"] != "needs_refresh"]:
        # Git tells them; no line of them is evidence.
        page.space()
        page.line(Styled("often committed together with it", style="bold"))
        for place in partners:
            page.line("  ", dim(inert_line(place["source_id"])), indent=2)
    if "reached" in answer:
        _draw_places(page, "reached by a change", answer["reached"], workspace)
        if not answer["reached_all"]:
            page.line("  ", dim("and more, which were not followed"))
    if not any(answer[kind] for kind in _AROUND) and not answer["offset"]:
        page.space()
        page.line(dim("No use of it was recognized here."))
    page.notes([note for note in answer["notes"] if note != lead], shown)
    page.space()
    page.line(dim(duration(answer["elapsed_ms"])))
    page.following(answer)
    page.show()


def _total(answer: dict[str, Any], kind: str) -> str:
    """Return how many places of a kind there are, as exactly as it is known."""
    total = answer[f"{kind}s_total"]
    if answer["totals_exact"]:
        return count(total, kind)
    return f"about {count(total, kind)}" if total else f"no {kind} recognized"


def _draw_places(page: Page, title: str, places: list[dict[str, Any]], workspace: Path) -> None:
    """Add the places of a kind below its title."""
    if not places:
        return
    page.space()
    page.line(Styled(title, style="bold"))
    for place in places:
        page.pointer(
            Styled.assemble("  ", mark(place["status"])), place, uri_of(workspace, path_of(place["source_id"]))
        )
        _draw_why(page, place, indent=6)


def _draw_why(page: Page, place: dict[str, Any], *, indent: int) -> None:
    """Add a line on what is not sure of a place, or not as it was; none where there is no such thing."""
    why = [
        *([f"by way of {place['via']}"] if "via" in place else []),
        *(["by its name only"] if place.get("by_name") else []),
        *([reason_of(place)] if place["reason"] not in UNCHANGED else []),
    ]
    if why:
        page.line(" " * indent, dim("; ".join(why)), indent=indent)


def draw_changes(answer: dict[str, Any], workspace: Path, shown: Collection[str] = ()) -> None:
    """Print what changed since a commit, each with the places that may not have followed, marks included."""
    page = Page()
    total, breaking = answer["changes_total"], answer["breaking_total"]
    since = f" since {one_line(answer['since'])}"
    head = f"{count(total, 'definition')} changed{since}, {breaking:,} of them breaking"
    if any(note.startswith(NOT_COMPARED) for note in answer["notes"]):
        head = f"Not compared{since}"
    page.line(
        Styled(head, style="bold"),
        dim(f" · {answer['why']}" if answer["why"] else ""),
    )
    for change in answer["changes"]:
        page.space()
        place = change["place"]
        where = f"{place['source_id']}:{place['start_line']}" if place else ""
        style = "bold yellow" if change["breaks"] else "bold"
        page.line(
            Styled(change["change"], style=style),
            "  ",
            inert_line(change["was"]),
            dim(f"  {inert_line(change['source_id'])}"),
        )
        if change["now"]:
            fits = "" if change["breaks"] else " · callers still fit"
            page.line("  → ", inert_line(change["now"]), dim(f"  {inert_line(where)}{fits}"), indent=4)
        for kind in _AROUND:
            places = change[kind]
            more = max(change.get(f"{kind}_total", 0) - len(places), 0)
            for number, each in enumerate(places):
                about = "" if change["totals_exact"] else "about "
                named = f"{kind}{f', {about}{more:,} more' if more else ''}" if not number else ""
                uri = uri_of(workspace, path_of(each["source_id"]))
                page.pointer(Styled.assemble(f"  {named:<22}", mark(each["status"])), each, uri)
                _draw_why(page, each, indent=26)
        if not any(change[kind] for kind in _AROUND):
            page.line("  ", dim(no_use(change["untold"])))
    page.notes(answer["notes"], shown)
    page.space()
    page.line(dim(" · ".join([count(answer["files"], "changed file"), duration(answer["elapsed_ms"])])))
    page.following(answer)
    page.show()
