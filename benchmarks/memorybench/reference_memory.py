"""The MCP reference memory (npm ``@modelcontextprotocol/server-memory``) at the work of ``memory.py --dialogues``.

It keeps each turn as an entity with one observation. Its search takes one text and returns every entity that has it,
unordered; it is asked for each word of a question, as a patient agent would, and what has most of them comes first.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any

SERVER = Path("node_modules/@modelcontextprotocol/server-memory/dist/index.js")


class ReferenceMemory:
    """One server process on a file of memories; close it at the end."""

    def __init__(self, folder: Path, file: Path) -> None:
        """``folder`` is where the package is installed."""
        self._process = subprocess.Popen(
            ["node", os.fspath(folder / SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"MEMORY_FILE_PATH": os.fspath(file)},
            text=True,
        )
        self._asked = 0
        client = {"name": "benchmark", "version": "1"}
        self._ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def keep(self, texts: dict[str, str]) -> None:
        """Keep texts by name, in one call."""
        entities = [{"name": name, "entityType": "episode", "observations": [text]} for name, text in texts.items()]
        self._call("create_entities", {"entities": entities})

    def search(self, words: Sequence[str], most: int) -> tuple[list[str], int]:
        """Return the names of the entities that have most of the words, and the length of what was read for it."""
        found: Counter[str] = Counter()
        size = 0
        for word in words:
            answer = self._call("search_nodes", {"query": word})
            size += len(answer["content"][0]["text"])
            found.update(one["name"] for one in answer["structuredContent"]["entities"])
        return [name for name, _ in found.most_common(most)], size

    def names(self) -> set[str]:
        """Return the names of all entities."""
        return {one["name"] for one in self._call("read_graph", {})["structuredContent"]["entities"]}

    def __enter__(self) -> ReferenceMemory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.communicate()

    def _call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = self._ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        return result

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._asked += 1
        self._send({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == self._asked:
                return answer
        raise EOFError("the reference memory ended")

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


def kept_of_writers(folder: Path, file: Path, writers: int, each: int) -> int:
    """Return how many memories are there after several clients have written at once, each on a server of its own."""

    def write(number: int) -> None:
        with ReferenceMemory(folder, file) as one:
            for place in range(each):
                one.keep({f"w{number}-{place}": f"writer {number} says {place}"})

    with ThreadPoolExecutor(writers) as pool:
        list(pool.map(write, range(writers)))
    with ReferenceMemory(folder, file) as reader:
        return len(reader.names())
