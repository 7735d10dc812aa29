"""Render the answers of the memory: memories with their verdicts, the review queue, the log."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from typing import Any

from helix_core.engine.verdict import reason_words
from helix_core.model import is_only_asserted
from helix_core.printable import count, inert_line, lines_of, without_control_tokens
from helix_core.workspace import path_of, uri_of
from helix_ls.cli.render.page import Page, ago, dim, duration, mark, reason_of
from helix_ls.cli.render.styled import Styled

_MOST_LINES = 12
_OUTSIDE = {
    "words": "the words that a search finds memories by",
    "notes": "notes",
    "workspaces": "the paths of workspaces",
    "carried": "records that are kept for a newer Helix",
}
_DIFFERENCES = {"added": "Added", "removed": "Removed", "changed": "In another state"}
_PROPOSED = {
    "archive": "Could be archived: helix maintain --archive",
    "purge": "Could be purged: helix purge ID --confirm",
}
_WHY = {
    "proposed": "waits for your approval",
    "contested": "another memory says otherwise",
    "superseded": "depends on a memory that was superseded",
    "stale": "what it cites has changed",
}
_NOTHING = {
    "helix.recall/1": "Nothing was remembered of this.",
    "helix.memoryContext/1": "Nothing was remembered of this.",
    "helix.review/1": "Nothing waits for a decision.",
    "helix.memory/1": "Nothing is remembered here yet.",
    "helix.log/1": "Nothing is remembered here yet.",
}


def draw(answer: dict[str, Any], workspace: Path) -> None:
    """Print an answer of the memory by its schema."""
    page = Page()
    if "archive_total" in answer:
        _draw_maintenance(page, answer, workspace)
    elif "added_total" in answer:
        _draw_diff(page, answer, workspace)
    elif "ops" in answer:
        _draw_log(page, answer)
    elif "facts_extracted" in answer:
        _draw_facts(page, answer, workspace)
    elif "stored" in answer:
        _draw_note(page, answer)
    elif answer.get("candidates"):
        _draw_candidates(page, answer, workspace)
    else:
        _draw_items(page, answer, workspace)
    page.show()


def _draw_facts(page: Page, answer: dict[str, Any], workspace: Path) -> None:
    for fact in answer["facts"]:
        page.line(inert_line(fact["text"]), "  ", dim(fact["rule"]))
    kept = "would be kept as proposals" if answer["dry_run"] else "kept as proposals: helix review"
    drawn = count(answer["facts_extracted"], "fact")
    page.line(dim(f"{drawn} of {count(answer['exchanges'], 'exchange')} {kept}"))
    for name in ("extractor", "tie_break"):
        told = answer.get(name)
        if told is None:
            continue
        for item in told.get("items", ()):
            draw_memory(page, item, workspace)
        if sent := told.get("would_send"):
            page.line(Styled(f"Would be sent to {sent['url']}", style="bold"))
            for line in lines_of(without_control_tokens(sent["body"])):
                page.line(line)
        spent = told["budget"]
        used = f"{spent['used']:,} of {count(spent['limit'], 'token')} of {spent['month']} are used"
        page.line(dim(f"{told['model']}: {count(told['tokens'], 'token')} now; {used}"))


def _draw_note(page: Page, answer: dict[str, Any]) -> None:
    if answer["stored"] == "file":
        page.line(inert_line(answer["note"]))
    else:
        kept = "would be kept" if answer["dry_run"] else "kept"
        page.line(f"{kept} as a note of {count(answer['count'], 'chunk')}")
        page.line("  ", dim(" · ".join(answer["gene_ids"][:_MOST_LINES])))
    if answer["dry_run"]:
        page.line(dim("nothing was changed"))


def _draw_candidates(page: Page, answer: dict[str, Any], workspace: Path) -> None:
    """Print the memories that a query finds, each with what forgets it."""
    for candidate in answer["candidates"]:
        draw_memory(page, candidate, workspace)
        page.line("    ", dim(f"--confirm {candidate['confirm']}"), indent=6)


def _draw_nearest(page: Page, answer: dict[str, Any]) -> None:
    if answer.get("nearest"):
        page.line(dim("Nearest to it, and perhaps about something else:"))
    for memory in answer.get("nearest", ()):
        page.line("  ", inert_line(memory["text"]), "  ", dim(memory["id"]), indent=4)


def _draw_items(page: Page, answer: dict[str, Any], workspace: Path) -> None:
    schema, items = answer["schema"], answer.get("items", [])
    if not items:
        deleted = answer.get("count", 0)
        if "candidates" in answer:
            page.line("No memory is found by this, and nothing was forgotten.")
            return
        is_note = schema == "helix.forgotten/1"
        page.line(f"{count(deleted, 'chunk')} of notes deleted." if is_note else _NOTHING.get(schema, "Nothing."))
        _draw_nearest(page, answer)
        return
    would = "would be " if answer.get("dry_run") else ""
    for item in items:
        draw_memory(page, item, workspace, f"{would}{answer['change']}" if "change" in answer else "")
    _draw_nearest(page, answer)
    for pair in answer.get("conflicts", ()):
        page.line(Styled("Contradict each other", style="bold yellow"))
        for memory in pair["memories"]:
            draw_memory(page, {**memory, "state": ""}, workspace)
    if answer.get("left_out"):
        page.line(dim(f"{count(answer['left_out'], 'memory', 'memories')} left out for the budget"))
    if link := answer.get("link"):
        known = "" if link["is_new"] else " (known already)"
        page.line("  ", dim(f"{link['from']} {link['relation'].replace('_', ' ')} {link['to']}{known}"))
    for redaction in answer.get("redactions", ()):
        page.line("  ", dim(f"{count(redaction['count'], 'secret')} masked ({redaction['rule']})"))
    if answer.get("dry_run"):
        page.line(dim("nothing was changed"))
    elif "elapsed_ms" in answer:
        page.line(dim(duration(answer["elapsed_ms"])))


def moment(at: float) -> str:
    """Format a time in Unix seconds by this machine's clock; a day's first moment is its date."""
    when = datetime.fromtimestamp(at).astimezone()
    return when.strftime("%Y-%m-%d" if (when.hour, when.minute, when.second) == (0, 0, 0) else "%Y-%m-%d %H:%M")


def draw_memory(page: Page, one: dict[str, Any], workspace: Path, change: str = "") -> None:
    """Print a memory with its verdict, who said it where that is not the user, and the places that it cites."""
    verdict = one if "state" in one else one.get("verdict")
    is_asserted = verdict is not None and is_only_asserted(verdict["status"], verdict["reason"])
    sign = mark(verdict["status"]) if verdict and not is_asserted else Styled("·", style="dim")
    page.line(sign, " ", Styled(inert_line(one["text"] or "(purged)")), indent=4)
    state = one.get("state", one["status"])
    about = [change, one["id"], one["kind"], "" if state in ("active", change) else state, one.get("why", "")]
    if "why" in one:
        about[-1] = _WHY.get(one["why"], one["why"])
    if one.get("origin", "user") != "user":
        about.append(f"by {one['origin']}")
    if (end := one.get("valid_to")) is not None:
        about.append(f"{'over since' if end <= time.time() else 'until'} {moment(end)}")
    if one.get("is_instruction"):
        about.append("reads like an order, and is none")
    if one.get("is_new") is False:
        about.append("known already")
    if verdict and (verdict["status"] != "verified" or is_asserted):
        # The detail of what is only asserted is who signed it, where that is not the user.
        is_users = one.get("origin", "user") == "user" and state != "quarantined" and not verdict.get("detail")
        about.append(reason_of(verdict, "cited", is_users=is_users))
    page.line("  ", dim(" · ".join(inert_line(word) for word in about if word)), indent=4)
    for each in one.get("evidence", ()):
        sign = Styled.assemble("    ", mark(each["status"]))
        page.pointer(sign, each, uri_of(workspace, path_of(each["source_id"])))
        if each["status"] != "verified":
            page.line("      ", dim(reason_words(each["reason"], "cited")))
        lines = lines_of(each["text"].rstrip("\n"))[:_MOST_LINES] if "text" in each else []
        for number, line in enumerate(lines, each["start_line"]):
            page.cut(Styled.assemble((f"      {number:>4} │ ", "dim"), without_control_tokens(line)))
    for link in one.get("rests_on", ()):
        relation = f"{link['relation'].replace('_', ' ')} {link['id']} ({link['state']}): {inert_line(link['text'])}"
        page.line("    ", dim(relation), indent=6)
    for link in one.get("links", ()):
        page.line(
            "    ", dim(f"{link['relation'].replace('_', ' ')} {link['id']}: {inert_line(link['text'])}"), indent=6
        )
    for link in one.get("related", ()):
        page.line("    ", dim(f"{link['from']} {link['relation'].replace('_', ' ')} {link['to']}"), indent=6)
    if one.get("uses"):
        last = one["uses"][-1]
        page.line("  ", dim(f"used {len(one['uses'])}×, last {last['kind']} {ago(last['at'], time.time())}"), indent=4)
    if one.get("replaces"):
        page.line(
            "    ", dim(f"would replace {one['replaces']['id']}: {inert_line(one['replaces']['text'])}"), indent=6
        )


def _draw_maintenance(page: Page, answer: dict[str, Any], workspace: Path) -> None:
    for kind, words in _PROPOSED.items():
        if answer[kind]:
            page.line(Styled(words, style="bold"), dim(f" · {answer[f'{kind}_total']:,}"))
        for memory in answer[kind]:
            since = "forgotten" if kind == "purge" else "not used"
            draw_memory(page, memory, workspace, f"{since} for {count(round(memory['idle_days']), 'day')}")
    if not answer["archive_total"] + answer["purge_total"]:
        page.line("Every memory should stay.")
    done = len(answer.get("archived", ()))
    outcome = f"{count(done, 'memory', 'memories')} archived" if done else "nothing was changed"
    page.line(dim(f"{outcome} · {duration(answer['elapsed_ms'])}"))


def _draw_diff(page: Page, answer: dict[str, Any], workspace: Path) -> None:
    for kind, words in _DIFFERENCES.items():
        if answer[kind]:
            page.line(Styled(words, style="bold"), dim(f" · {answer[f'{kind}_total']:,}"))
        for memory in answer[kind]:
            draw_memory(page, memory, workspace, f"was {memory['was']}" if memory["was"] else "")
    if answer["purged"]:
        page.line(dim(f"{count(answer['purged'], 'memory', 'memories')} purged"))
    if not answer["operations"]:
        page.line("Nothing was done to the memory between these times.")
    page.line(dim(f"{count(answer['operations'], 'operation')} · {duration(answer['elapsed_ms'])}"))


def _draw_log(page: Page, answer: dict[str, Any]) -> None:
    now = time.time()
    for op in answer["ops"]:
        text = inert_line(op["text"]) or "(purged)"
        about = f"  {op['actor']} · {ago(op['at'], now)}"
        about += f" · {op['status']}" if op["status"] not in ("active", "") else ""
        about += f" · {op['workspace']}" if op.get("workspace") else ""
        page.line(f"{op['seq']:>5}  {op['kind']:<9} {op['id']:<11} ", text, dim(inert_line(about)), indent=8)
    if not answer["ops"]:
        page.line(_NOTHING["helix.log/1"])
    if left := answer["left_out"]:
        page.line(dim(f"{count(left, 'operation')} on memories of other workspaces: helix log --all"))
    if "first_broken" in answer:
        broken, outside = answer["first_broken"], answer["changed_outside"]
        if outside:
            page.line(
                Styled(f"changed from outside: {', '.join(map(_OUTSIDE.__getitem__, outside))}", style="bold red")
            )
        if outside and broken > max((op["seq"] for op in answer["ops"]), default=0):
            return
        found = f"operation {broken} is not as it was written" if broken is not None else "every hash fits"
        page.line(Styled(found, style="bold red" if broken is not None else "green"))


def draw_trail(answer: dict[str, Any], workspace: Path) -> None:
    """Print the last places and the moments like now."""
    page = Page()
    if not answer["last"]:
        began = "No place is recorded here yet." if not answer["steps"] else "The trail is back at its start."
        page.line(began)
    for place in answer["last"]:
        _draw_trail_place(page, place, workspace)
    for moment in answer["moments"]:
        page.line(Styled("Like now", style="bold"), dim(f" · {ago(moment['at'], time.time())}"))
        for place in moment["places"]:
            _draw_trail_place(page, place, workspace)
    page.show()


def draw_forgotten_trail(answer: dict[str, Any]) -> None:
    """Print whether there was a trail."""
    page = Page()
    page.line("The trail was removed." if answer["forgotten"] else "There was no trail.")
    page.show()


def _draw_trail_place(page: Page, place: dict[str, Any], workspace: Path) -> None:
    sign = mark(place["status"])
    page.pointer(sign, {**place, "symbol": place["symbol"] or ""}, uri_of(workspace, path_of(place["source_id"])))
    why = [reason_of(place, "opened")] if place["status"] != "verified" else []
    if commit := place["commit"]:
        origin = f"commit {commit['commit'][:10]} by {commit['author']}, {ago(commit['committed_at'], time.time())}"
        why.append(inert_line(origin))
    if place["was"]["start_line"] not in (place["start_line"], 0):
        why.append(f"was at line {place['was']['start_line']}")
    page.line("  ", dim(" · ".join([ago(place["at"], time.time()), *why])))
