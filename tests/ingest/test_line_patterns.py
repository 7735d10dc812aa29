"""Without a grammar a definition ends where its layout says so; what follows it is under no name."""

from __future__ import annotations

import pytest

from helix_core.ingest import ingest
from helix_core.ingest.chains import Chains

VIM = b"""\
" The total of an invoice.
function! s:one(items)
  let total = 0
try
  let total = 1
finally
  echo 'done'
endtry
  return total
endfunction

let g:invoice_total = 1
call s:one([])

fu! invoice#Two() abort
  return 2
endf
def! Three(): number
  return 3
enddef
augroup invoice
  autocmd BufRead * call s:one([])
augroup END
"""
POWERSHELL = b"""\
<#
function Not-One {
#>
Function script:Get-One {
  $text = @"
function Not-Two {
}
"@
  $text
}

$total = Get-One
if ($total) {
  Write-Host $total
}
filter Get-Three { $_ } # one line
  Write-Host 3
"""
JULIA = b"""\
function one(items)
    sum(items)
end

const RATE = 2
println(one([1]))

area(r; k=(1)) where T = 3 * r
Base.show(io::IO, x::Point) =
    print(io, x)
push!(list, 1)
macro two(x)
    x
end
y = area(1)
    + 2
"""
DART = b"""\
class A {
  int x = 0;
}

Future<int> invoiceTotal({
  int a = 0,
}) async {
  return a;
}
int twice(int a) => 2 * a;
  // indented by mistake
final total = twice(2);
void main() {
  /*
class B {
  */
  print(total);
}
"""
FILES = [("a.vim", VIM), ("a.ps1", POWERSHELL), ("a.jl", JULIA), ("a.dart", DART)]


UNDER = {
    "a.vim": {
        "s:one": (1, 10),
        "invoice#Two": (15, 17),
        "Three": (18, 20),
    },
    "a.ps1": {"Get-One": (1, 10), "Get-Three": (16, 16)},
    "a.jl": {"one": (1, 3), "area": (8, 8), "Base.show": (9, 10), "two": (12, 14)},
    "a.dart": {"A": (1, 3), "invoiceTotal": (5, 9), "twice": (10, 10), "main": (13, 13)},
}
"""By file the lines that each name stands over: its definition and the comment right above. A comment at the margin may
hide an end, as in Dart's ``main``.
"""


def _labels(path: str, data: bytes) -> list[str]:
    """The symbol that each line is under."""
    return [
        chunk.name
        for chunk in ingest(path.encode(), data, embed=False).chunks
        for _ in range(chunk.start_line, chunk.end_line + 1)
    ]


@pytest.mark.parametrize(("path", "data"), FILES)
def test_no_line_with_code_is_under_a_definition_that_ended_before_it(path: str, data: bytes) -> None:
    lines = data.decode().splitlines()
    for name, line, number in zip(_labels(path, data), lines, range(1, len(lines) + 1), strict=True):
        if line.strip():
            under = [one for one, (first, last) in UNDER[path].items() if first <= number <= last]
            assert name == (under[0] if under else ""), (number, line)


@pytest.mark.parametrize(("path", "data"), FILES)
def test_names_told_by_lines_are_found_by_and_claimed_by_no_chunk(path: str, data: bytes) -> None:
    chains = Chains(path.encode(), data, 5.0)
    chunks = ingest(path.encode(), data, embed=False).chunks
    assert any(chunk.definitions for chunk in chunks)
    for chunk in chunks:
        assert chunk.is_claimed == (not chunk.name)
        assert chains.name(chunk.start_byte, chunk.end_byte, "").symbol == ""
        assert chains.definitions == []


@pytest.mark.parametrize(("path", "data"), FILES)
def test_code_that_comes_to_stand_behind_a_definition_is_not_called_by_its_name(path: str, data: bytes) -> None:
    code = b"\nupdate_everything 1\n"
    for chunk in ingest(path.encode(), data, embed=False).chunks:
        if chunk.name:
            moved = data[: chunk.end_byte] + code + data[chunk.end_byte :]
            naming = Chains(path.encode(), moved, 5.0).name(chunk.end_byte, chunk.end_byte + len(code), chunk.name)
            assert naming.symbol != chunk.name


def test_a_long_function_keeps_its_name_up_to_its_closing_word_and_no_further() -> None:
    body = b"".join(b"let x = %d\n" % number for number in range(200))
    closed = b"function! Long()\n" + body + b"endfunction\n" + body
    assert _labels("a.vim", closed) == ["Long"] * 202 + [""] * 200
    # Without the word nobody knows where it ends: it is the next definition that shows it is missing.
    unclosed = b"function! Long()\n" + body + b"function! Next()\nendfunction\n"
    assert _labels("a.vim", unclosed) == ["Long"] + [""] * 200 + ["Next"] * 2


def test_an_indented_rest_belongs_to_a_definition_also_after_a_comment_at_the_margin() -> None:
    assert _labels("a.nim", b"proc one() =\n  echo 1\n# of two\n  echo 2\n# of none\necho 3\n") == [
        *["one"] * 4,
        *[""] * 2,
    ]


@pytest.mark.parametrize(
    ("path", "head", "name"),
    [
        ("a.vim", "function s:one(a)", "s:one"),
        ("a.vim", "function! fzf#run(...) abort", "fzf#run"),
        ("a.vim", "fun! <SID>Go()", "<SID>Go"),
        ("a.vim", "export def Three(): number", "Three"),
        ("a.vim", "function Listed", ""),
        ("a.vim", "sub word other(", ""),
        ("a.ps1", "function Get-One {", "Get-One"),
        ("a.ps1", "FUNCTION global:prompt {", "prompt"),
        ("a.ps1", "filter Odd {", "Odd"),
        ("a.ps1", "class Car : Vehicle {", "Car"),
        ("a.jl", "function Base.push!(a, b)", "Base.push!"),
        ("a.jl", "f(x::Int, y=(1, 2))::Int = x", "f"),
        ("a.jl", "mutable struct Point{T} <: Shape", "Point"),
        ("a.jl", "abstract type Shape end", "Shape"),
        ("a.jl", "println(f(x) == 3)", ""),
        ("a.jl", "x[f(1)] = 3", ""),
        ("a.jl", "call(a, (b) = 3)", ""),
        ("a.dart", "Map<String, List<int>> find(String key) async {", "find"),
        ("a.dart", "main() => run();", "main"),
        ("a.dart", "abstract class A<T> extends B {", "A"),
        ("a.dart", "mixin Walks on Animal {", "Walks"),
        ("a.dart", "extension on String {", ""),
        ("a.dart", "int add(int a);", ""),
        ("a.dart", "final x = compute(3);", ""),
        ("a.pl", "sub total { return 1 }", "total"),
        ("a.ex", "defmodule Shop.Cart do", "Shop.Cart"),
        ("a.proto", "message Order {", "Order"),
        ("a.tf", 'resource "aws_s3_bucket" "logs" {', "aws_s3_bucket"),
        ("a.tex", "type of thing, which is", ""),
        ("a.tex", "class names are long", ""),
    ],
)
def test_a_head_is_known_by_the_words_and_brackets_of_its_language(path: str, head: str, name: str) -> None:
    assert _labels(path, f"{head}\n".encode()) == [name]
