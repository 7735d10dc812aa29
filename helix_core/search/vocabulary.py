"""The words search knows beforehand: words that ask, words that mean the same, words that tell what is wanted.

General English and general programming vocabulary only; nothing here comes from any one project. Data and pure lookups.
"""

from __future__ import annotations

_QUESTION_WORD_LINES = """
a about actually after all also am an and any anything are as at be because been before being both but by came can come
comes could did do does doing done each either else etc ever every exactly explain find for from further gave get gets
getting give given gives go goes going got had happen happens has have having he her here him his how however i if in
inside instead into is it its itself just know let like look looking made make makes many may me might more most much
must my need needs neither no nor not now of off on once one only onto or other our out over own part please put puts
same say see shall she should show so some somebody someone something still such take takes taken tell than that the
their them then there these they thing things this those through thus to too under up upon us use used uses using very
want wants was way we well went were what whatever when whenever where wherever whether which while who whom whose why
will with within without would yet you your code file repo repository project codebase
"""

QUESTION_WORDS = frozenset(_QUESTION_WORD_LINES.split())

# Each line is one meaning: a word asks for the others at a lower weight.
_SYNONYM_LINES = """
abort cancel interrupt kill
add append insert attach register
address url uri link endpoint
allow permit accept
allowed permitted accepted supported
argument parameter arg param
array list sequence
asynchronous async asyncio await coroutine
attachment file
authenticate authentication auth authorize authorization login signin logon
background worker daemon
backup copy snapshot
before pre
begin start launch init initialize boot setup bootstrap
block lock wait
blocking synchronous sync
browser client useragent
build compile make
cache memoize
call invoke execute run
callback hook handler listener
change modify update edit alter mutate
channel stream pipe queue
character char codepoint
charset encoding codec
check validate verify assert ensure
child sub nested descendant
choose select pick
class type
clean clear purge reset flush
close shutdown dispose
color colour
column field attribute
command cli subcommand
comment doc docstring
compare equal diff equality
compress gzip zip deflate compression
concurrent parallel simultaneous simultaneously thread
config configuration settings setting option preference options
connect connection
constant const
convert transform translate cast coerce conversion
count number total
create new construct generate produce build
credential password secret token
cut truncate shorten trim
database db
date datetime time timestamp
debug trace
decimal float
decode deserialize parse load unmarshal
default fallback
delay sleep pause wait backoff interval
delete remove drop erase discard unlink
dependency require import
deprecated obsolete legacy
destroy free release
dictionary dict map mapping hash
directory folder dir
disable off
disk filesystem
display show render print
download fetch retrieve get
duplicate dup same repeated
element item entry
empty blank null none
enable on
encode serialize dump marshal
encrypt cipher encryption
end finish stop terminate exit complete
enum enumeration choice
environment env
error exception failure fault fail
event signal
exclude ignore skip omit
expire timeout ttl expiry
export output
extension plugin addon
fallback default
fast speed performance quick
file document
fill pad padding
filter exclude
first initial
flag switch toggle
form submit
format pattern template
function method callable func procedure routine
generic template
global shared
group set collection
guess detect infer sniff
handle process
header headers
hide hidden conceal
html markup
id identifier key
image picture photo
immutable frozen readonly
import load include
index position offset
inherit extend subclass derive
inheritance subclass
install setup
integer int
intercept middleware interceptor
interface protocol contract
interval range
iterate loop iteration
join merge combine concat concatenate
json serialize
keep retain preserve remember
label tag
language locale
last latest final
lazy lazily deferred
length size
library package module
limit maximum max cap
list enumerate
listen subscribe observe watch
locale i18n translation
log logging logger
lookup find search locate
lowercase lower
machine host server
mail email
maximum max limit upper
memory ram
message notification notice alert
metadata meta
minimum min lower
missing absent unknown
mock stub fake
move rename
name label
neighbour adjacent neighbor
normalise normalize
number numeric int
object instance
old previous former
open read
operating os platform
optional nullable
order sort rank ordering
original source raw
override overwrite
page view
parent ancestor base
password passwd
path filename
permission access privilege rights
piece fragment chunk token part
pool reuse
port socket
post send
prefix begin
prevent avoid guard protect forbid
previous prior
print write echo
priority precedence
private internal
property attribute
proxy forward
public exported
publish emit dispatch broadcast fire trigger
query statement sql
queue fifo pending scheduler
random nonce
receive accept
record row entry
recover restore resume
recursive nested
redirect forward
reference ref pointer
refresh reload revalidate refetch
refuse reject deny decline
regex regexp pattern
regular regex
related relationship relation
replace substitute swap
reply response answer
report print
request req
resize scale thumbnail
restart resume
retry repeat again reattempt
return yield
reverse backwards
rollback revert undo
route url routing endpoint
save store persist write
schedule plan cron
schema structure
scope namespace
screen terminal console
script program
send transmit emit
separator delimiter
session login
share common
shell terminal
short brief
sign signature signed
single one
slow throttle
socket connection
space whitespace blank
speed rate
split separate divide partition
stable fixed
stack trace traceback
state status
statistics stats metrics
step stage phase
string text str
subscribe register
suffix ending extension
symbol token
table relation
task job work
temporary temp tmp
text string
thread concurrency
timeout deadline expire
transaction commit
tree hierarchy
trigger fire
truncate clip
tuple pair
type kind
unique distinct
unit module
unused stale orphan
update refresh
upgrade migrate migration
upload send put
upsert merge conflict
user account
value val
variable var
verb method
version release
view page
visited seen
wait await block
warn warning
wrap decorate wrapper decorator
write save
"""


def _synonyms() -> dict[str, tuple[str, ...]]:
    known: dict[str, dict[str, None]] = {}
    for line in _SYNONYM_LINES.strip().splitlines():
        group = line.split()
        for word in group:
            known.setdefault(word, {}).update(dict.fromkeys(other for other in group if other != word))
    return {word: tuple(others) for word, others in known.items()}


SYNONYMS = _synonyms()
