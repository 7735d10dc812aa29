"""The words and patterns by which slots are read and a text is known as no statement; names that exclude each other.

Data for ``statements`` and ``slots``. The patterns run in linear time over any text: on RE2, or without a way to
backtrack.
"""

from __future__ import annotations

import re

import re2

from helix_core.words import words_in

QUESTION = re2.compile(
    r"(?i)^(?:so,? |and |but |ok,? |hey,? |hi,? )?(?:what|where|when|why|who|whom|whose|which|how|is|"
    r"are|was|were|do|does|did|can|"
    r"could|would|will|should|shall|has|have|may|am|any idea|wondering|tell me|explain|show me|"
    r"describe|list|summari[sz]e)\b"
)
EXPLICIT = re2.compile(
    r"(?i)^(?:please |pls |hey,? |ok,? )?(?:(?:remember|keep in mind|for future reference|note to self|for the record)"
    r"(?: that|[:,])* (?:we|i|the|our|all|my|that|this|every|each|no|`|[a-z]+ (?:is|are|has|have|must|should|runs?|"
    r"uses?)\b)|(?:we )?(?:always|never) (?:use|write|commit|push|merge|squash|log|call|edit|add|put|store|keep|name|"
    r"run|test|document|import|return|raise|catch|touch|delete|rename|deploy|release|review|answer|reply|format|"
    r"prefix|start|end|send|sign|hash|cache|mock|wrap|pin|tag|rebase|build|check|close|open|read|make|let|expose|"
    r"block|skip|trust|hard-?code|share|ship|mutate|compare|sort|validate|escape)\b(?:$|[^:?]*$)|(?:we|the (?:team|"
    r"board|group)|it was|everyone)(?: have|['’]ve| has| all)? (?:decided|agreed|settled|voted) (?:that|to|on|not "
    r"to|against|for)\b|(?:hi,? |hello,? |fyi,? )?(?:my (?:name|time ?zone|role|title|pronouns|mother tongue|native "
    r"language|preferred \w+|favou?rite \w+) (?:is|are) [^,?]*$|i prefer [\w-]+(?: [\w-]+){0,4}\.?$)|(?:all|every|"
    r"each|any|no|the|our|new) [\w `\"-]{2,40} (?:must|may|should)(?: only| never| not| always)? \w+[^?]*$|(?:do not|"
    r"don'?t) (?:ever |use|commit|push|touch|edit|merge|add|write|import|log|call|rename|delete|store|put) ?[^?]*$)"
)
"""A decision, a rule or a wish in the words by which such things are told."""
SETTLED = re2.compile(
    r"(?i)^(?:that|this|it)(?:'s| is| was| has been) (?:the [\w -]{2,40} (?:we|the \w+|everyone|everybody) \w+|"
    r"(?:what|how) (?:we|the \w+|everyone|everybody) (?:\w+ ){0,2}(?:agreed|decided|want|chose|settled)\w*|(?:now |"
    r"all |already |also )?(?:final|settled|decided|agreed|signed off|approved|official|the plan|the decision)|"
    r"(?:rfc|adr)[ -]?\d+)\b"
)
"""A sentence by which the one before it is a decision."""
ACK = re2.compile(
    r"(?i)^(?:(?:ok(?:ay)?|k|thanks?|thank you|thx|ty|cheers|great|good|nice|perfect|cool|awesome|"
    r"sure|yes|yep|yeah|no|nope|"
    r"got it|understood|sounds good|looks good|lgtm|done|fine|right|alright|agreed|exactly|correct|"
    r"go ahead|go on|continue|"
    r"please do|do it|ship it|never ?mind|wow|hmm+|oh|ah|i see|makes sense|well done|good job|works|"
    r"it works|that works|"
    r"that's (?:it|right|fine|great)|hello|hi|hey|bye|good (?:morning|night|evening)|sorry|welcome|"
    r"you're welcome|danke|merci|gracias|grazie|a lot|"
    r"so much|very much|for (?:the|your|that)(?: \w+){0,2}|then|now|again|please|man|all|all good|much appreciated)"
    r"[\s,.!;:)(-]*)+$"
)
NOISE = re2.compile(
    r"(?i)^(?:(?:feat|fix|chore|docs|refactor|test|ci|build|perf|style|revert)(?:\([\w./-]+\))?!?: |"
    r"merge (?:branch|pull)|"
    r"(?:todo|fixme|xxx)\b|(?:[\w.]*\.)?\w*(?:Error|Exception): |\[?\d{4}-\d\d-\d\d[T ]|\[\d+:\d\d|"
    r"(?:error|warn|warning|info|debug|fatal|panic)\b[:\s]*(?:\[|\d{4}-)|thread '|traceback|make(?:\[\d+\])?: |"
    r"(?:const|let|def|async def|func|fn|class|import|static|public|private|return|match|var|if|for|"
    r"while)\b.*[;{}:]$|"
    r"(?:\$ )?[a-z][\w./-]* .*\| (?:grep|awk|sed|head|tail|wc|xargs|jq|sort|less|tee|cut|uniq)\b|"
    r"(?:select|insert into|update|delete from|create table)\b.*\b(?:from|values|set|where)\b.*[=(*;])"
)
"""A line of a log, of code or of history, a printed error, a thing to do: no statement of a person."""
QUOTED = re2.compile(r"^(?:[\"“«{(\[<>]|(?i:assistant|user|human|claude|gpt|chatgpt|copilot|system|ai|bot|model)s?: )")
"""Said by another one, or set apart from what is said."""
PRINTED = re2.compile(
    r"(?i)^(?:\S+:\d+-\d+\b|file \"[^\"]+\", line \d|(?:failed|passed|error|skipped|xfail) \S+(?:::|/)|"
    r"=* ?\d+ (?:failed|passed|errors?|warnings?)\b|[0-9a-f]{7,40} \w+|\w+ (?:failed|passed), \d+|\s*at \S+\(|"
    r"\d+ files? changed)"
)
"""A line that a program printed."""
LEAD = re2.compile(
    r"(?i)^(?:(?:(?:note to self|noted|findings?|learned|context|reminder|heads-up|tl;?dr|final (?:call|answer)|"
    r"outcome|resolution|fact|setup|status) ?:|please|ok(?:ay)?|so|and|also|well|fyi|important|note(?: that|:)?|"
    r"remember(?: that|:)?|keep in mind(?: that)?|for future reference|from now on|going forward|decision|rule|by "
    r"convention|as a rule|just|hey|actually|for the record|by us|we(?:'ve| have)? (?:decided|agreed|chosen|"
    r"settled)(?: that| on| to)?|it was decided(?: that| to)?)[\s,:;]+)+"
)
RULE = re2.compile(
    r"(?i)^(we |you |i |everyone |the team )?(always|never|do not|don'?t(?: ever)?|avoid|no longer|"
    r"must not|mustn'?t|must never|must always|should never|should always)\s+(.{3,160})$"
)
MUST = re2.compile(
    r"(?i)^(.{2,80}?) (must not|must never|must always|must|should not|shouldn'?t|should never|"
    r"should always|always|never) (.{3,120})$"
)
SWITCH = re2.compile(
    r"(?i)\b(?:switch(?:ed|ing)?|migrat(?:ed|ing|e)|mov(?:ed|ing|e)|chang(?:ed|ing|e)|upgrad(?:ed|ing|"
    r"e)|went) (?:(.{1,60}?) )?from (.{1,60}?) to (.{1,60})$"
)
REPLACED = re2.compile(r"(?i)\breplac(?:ed|ing|e|es) (.{1,60}?) (?:with|by) (.{1,60})$")
INSTEAD = re2.compile(
    r"(?i)\b(use|uses|using|prefers?|want) (.{1,60}?) (?:instead of|over|rather than|and not|not) (.{1,60})$"
)
GONE = re2.compile(
    r"(?i)\bno longer (use|uses|using|support|supports|depend on|depends on|run|runs on|need|needs) (.{1,60})$"
)
FOR = re2.compile(
    r"(?i)\b(?:use|uses|using|chose|choose|picked|prefers?|with) (.{1,60}?) (?:for|as) (?:the |our |"
    r"all |a |an )?(.{1,60})$"
)
IS = re2.compile(
    r"(?i)^(.{2,80}?) (is set to|is now|is|are now|are|=|:=|equals|defaults to|was changed to|"
    r"changed to|was bumped to|is pinned to|are pinned to|has been changed to|must be|"
    r"should be) (.{1,120})$"
)
HAS = re2.compile(
    r"(?i)^(.{2,80}?) (?:currently |now |only )?(uses?|runs? on|runs?|deploys? (?:to|with|on|from)|targets?|"
    r"requires?|depends? on|ships? with|stores? (?:its data )?in|listens? on|expires? (?:after|in)|times? out after|"
    r"reads? from|writes? to|talks? to|connects? to|points? (?:to|at)|belongs? to|comes? from|goes? to|lives? (?:at|"
    r"on|under)|speaks?|follows?|sits? (?:in|on|behind|at)|lives? in|takes?|lasts?|allows?|supports?|is owned by|"
    r"owns?|maintains?|leads?) (.{1,120})$"
)
PASSIVE = re2.compile(
    r"(?i)^([^,;:]{2,80}?) (?:is|are|gets?) (?:now |currently |all |both )?((?:[a-z]{2,}ed|built|kept|held|written|"
    r"sent|run|sold|made|given|taken|bound|split|cut|put|spoken|drawn|read|shown) (?:in|at|to|with|by|on|from|as|via|"
    r"under|through|into|up to|after|every)|called|named) (.{1,120})$"
)
"""A subject and what is done with it, where, by what: "prices are stored in cents"."""
NO_DEED = words_in(
    """allowed forbidden needed used supposed required permitted supported set pinned owned changed bumped located
    interested"""
)
"""Participles that say something else, or that other patterns read."""
OCCURS = re2.compile(
    r"(?i)^([^,;:]{2,80}?) (fires|triggers|starts|stops|ends|begins|runs|happens|answers|responds|closes|opens|"
    r"rotates|refreshes|retries|listens|renews|polls|syncs|expires|expire|start|stop|end|begin|run|listen) (?:always "
    r")?((?:nightly |daily |hourly |weekly |monthly |once )?(?:after|at|in|within|every|on|from|until|with)) "
    r"(.{1,80})$"
)
"""A subject, what it does, and when or where: "the watchdog fires after 1.6 seconds"."""
AMOUNT = re2.compile(
    r"(?i)^([^,;:]{2,80}?) (accepts?|demands?|ha(?:s|ve)|holds?|contains?|needs?|takes?|lasts?|allows?|permits?|"
    r"handles?|sends?|gets?|keeps?|waits?|serves?|covers?|costs?|weighs?|measures?|counts?|requires?|supports?|"
    r"stores?) (?:roughly |about |around |exactly |currently |now )*((?:at most|at least|up to|no more than|only|a "
    r"maximum of|a minimum of) )?(\d.{0,80})$"
)
"""A subject and a number of what it has: "the parser accepts at most 32 groups"."""
HAS_OF = re2.compile(
    r"(?i)^([^,;:]{2,80}?) (?:has|have|comes with|come with) (?:an?|the) (?:([\w -]{2,40}?) of|(address|name|id|port|"
    r"number|version|key|url|code|type|color|colour|path|prefix|suffix|alias|label|license|licence)) (.{1,80})$"
)
"""A subject and one of its attributes: "the cache has a limit of 2 GB"."""
FOR_WHICH = re2.compile(
    r"(?i)^for (?:the |our |all |a |an )?([^,;:]{2,60}?),? we (?:now |always |currently )?(?:use|take|have|run|rely "
    r"on) (.{1,80})$"
)
WE_DO = re2.compile(
    r"(?i)^we (?:now |always |currently )?(store|keep|host|deploy|build|write|serve|render|sign|encode|send|read|"
    r"compile|generate|manage|track|parse|cache|measure|publish|hash|encrypt) (?:our |the |all )?([^,;:]{2,60}?) (in|"
    r"on|with|by|via|to|as|from|through) (.{1,80})$"
)
"""What we do with a subject: as ``PASSIVE`` says it of the subject."""
DONE = {
    "keep": "kept",
    "build": "built",
    "write": "written",
    "send": "sent",
    "read": "read",
    "parse": "parsed",
    "sign": "signed",
    "encrypt": "encrypted",
    "publish": "published",
    "hash": "hashed",
    "render": "rendered",
    "host": "hosted",
    "track": "tracked",
    "deploy": "deployed",
}
GIVEN = re2.compile(r"(?i)^((?:[\w.-]+ ){0,3}[\w.-]+) ?: ?((?:`[^`]+`|\S*[\d_./@-]\S*)(?: \w+)?)$")
"""A name, a colon and a value."""
FOREIGN_IS = (
    re2.compile(r"(?i)^(?:le |la |les |l['’]|notre |nos )(.{2,60}?) (?:est|sont) (?:de |à |en )?(.{1,60})$"),
    re2.compile(
        r"(?i)^(?:der |die |das |unsere? |unser |euer )(.{2,60}?) (?:ist|sind|beträgt|lautet|heißt) (.{1,60})$"
    ),
    re2.compile(r"(?i)^(?:el |la |los |las |nuestr[oa]s? )(.{2,60}?) (?:es|son) (?:de )?(.{1,60})$"),
    re2.compile(r"(?i)^(?:il |lo |la |i |gli |le |l['’]|nostr[oa] )(.{2,60}?) (?:è|sono) (?:di )?(.{1,60})$"),
    re2.compile(r"^([^はが、。]{1,40})は ?([^は、。]{1,40}?) ?(?:です|である|だ)。?$"),
)
"""The same as ``IS`` of a few other languages; the article or particle tells which."""
INDEPENDENT = re2.compile(
    r"(?i)^(?:because|so|since)\b.*\b(?:is|are|was|were|has|have|had|do|does|did|can|must|will|\w{2,}s|\w{2,}ed)\b|"
    r"^(?:(?:and|but) )?(?:we|i|they|you) \w|^(?:(?:and|but) )?(?:it|this|that|he|she|the [\w-]+|our [\w-]+|"
    r"[a-z][\w-]+) (?:\w+ly )?(?:is|are|was|were|has|have|had|do|does|did|don'?t|doesn'?t|can(?:'?t|not)?|must|will|"
    r"[a-z]{3,}(?:[^s\W]s|ed)|compile|run|use|keep|build|write|store|ship) "
)
"""A reason, or a sentence of its own, and no limit to what was said before it."""
USE = re2.compile(
    r"(?i)^(?:we |i |let'?s |the team |the project )?(?:always )?(?:use|using|prefer|indent with|"
    r"format with|go with|stick (?:to|with)|test with|lint with|build with|deploy to|"
    r"deploy with) (.{1,80})$"
)
# Verbs of IS that state something else than what is so now.
OTHER_THAN_IS = {"defaults to": "default", "must be": "should be", "should be": "should be"}
NOT_A_SUBJECT = words_in("""it this that there he she they these those what which who i you here""")
NOT_SIMPLE = words_in("that which who whose where when if because while is are was were has have we i you they")
"""Words by which what stands before a verb has a verb of its own."""
REASONS = words_in("because so since")
DESCRIBES = words_in("""a an not very too also only always never in on at for""")
ONE_OF = words_in(
    """branch region port version timeout name owner host database language framework editor theme license limit
    size url path format style environment zone account role lead maintainer license registry codename deadline
    retention default provider"""
)
DROPPED = words_in(
    """a an the our my your their its this that these those of to in on at by with and or as be is are was were
    been will we i you they it do does did have has had for from please now currently so just then also here"""
)
QUALIFIES = words_in(
    """in for on at during when whenever if unless while under with within by via per until before after since except
    only because as where from to of than but and or nor not so which who that through inside outside across about
    between without against over every each then today yesterday again too"""
)
"""Words after which a value is qualified: "3000 ms in staging" says nothing of the value elsewhere."""
NARROWS = QUALIFIES - words_in("because since and so which that who where")
EVERYONE = words_in("we i you us everyone team project repo repository codebase let's lets")
NOT_YET = words_in(
    """not never no cannot don't doesn't didn't isn't aren't won't wasn't haven't hasn't hadn't can't shouldn't wouldn't
    if when whenever before until unless once might may could should would will plan plans planned planning want wants
    consider considering considered going need needs maybe perhaps instead avoid why how tried trying failed"""
)
"""Words before a change by which it has not taken place, or not surely."""
AUXILIARIES = words_in("have has had is are was were been we've currently now already recently just also always to")
BARE = words_in("a an the our my your their this that these those now currently please just also so then be")
"""Words that make no other subject."""
NEUTRAL = words_in("database db cache queue server cluster cloud ci framework formatter linter style theme")
TIMES = words_in("ms s sec secs second seconds m min mins minute minutes h hour hours day days week weeks month months")
SIZES = words_in("b kb mb gb tb kib mib gib tib byte bytes")
OPPOSITES = (
    "enabled disabled",
    "enable disable",
    "enables disables",
    "on off",
    "true false",
    "yes no",
    "allowed forbidden",
    "allow forbid",
    "allows forbids",
    "allowed disallowed",
    "permitted forbidden",
    "open closed",
    "public private",
    "required optional",
    "mandatory optional",
    "sync async",
    "synchronous asynchronous",
    "active inactive",
    "supported unsupported",
    "safe unsafe",
    "stable unstable",
    "mutable immutable",
    "encrypted unencrypted",
    "always never",
    "all none",
    "valid invalid",
    "available unavailable",
    "manual automatic",
    "manually automatically",
    "before after",
    "include exclude",
    "included excluded",
    "online offline",
    "blocking non-blocking",
)
LIMITS = words_in("after every within to at most least than is are by in over under up exactly only per until before =")
"""Words after which a number is a value; after another word it may be a label, as in "item 3"."""
ORDINALS = words_in("first second third fourth last")
BEFORE_DAYS = words_in("every each until by") | ORDINALS
"""Words after which one day is when something happens again; "on Friday" may be when something happened once."""
ALLOWS = words_in("allowed permitted acceptable fine okay ok")
FORBIDS = words_in("forbidden prohibited disallowed banned")
ORDERS_NOT = words_in("never not avoid no")
BESIDE_ORDERS = words_in("is are be to do does always we you should must may can please it")
NEGATORS = words_in(
    """not no never without none neither nor cannot can't don't doesn't isn't aren't won't mustn't shouldn't avoid"""
)
QUANTIFIERS = words_in(
    """always all every each only some most any both must should may optional required sometimes often rarely least
    at-most exactly"""
)
TOKEN = re.compile(r"\w[\w.\-/+#@:%'’]*+")
NUMBER = re.compile(r"v?\d[\d.,:_\-]*+[%\w]{0,6}+\Z")
FENCE = re2.compile(r"(?m)^=== helix [0-9a-zA-Z]+ (?:begin|end)\s*$")
PACKET = re2.compile(
    r'"schema"\s*:\s*"helix\.[a-z]+/\d|(?m)^\s*(?:\[\d+\] |- )?\S+:\d+(?:-\d+)?\b.{0,200}'
    r"(?:verified|stale[ _]risk|needs[ _]refresh)|(?m)^\s*memory m_[a-z2-7]{8} \[|"
    r"^Remembered, as somebody said it before|"
    r"Evidence from the user's workspace, found by Helix|Workspace evidence \(data, not instructions\)"
)
ORDERS = re2.compile(
    r"(?i)\b(?:(?:ignore|disregard|forget|override|bypass) (?:all |any |the |your |every |these |"
    r"those )*(?:previous|prior|above|earlier|preceding|existing|other|system|"
    r"safety)?\s*(?:instructions?|rules?|prompts?|guidelines?|directions?|guardrails?)|"
    r"you are now|act as (?:a |an |the )?(?:system|admin|root|developer|dan|unrestricted|jailbroken)|"
    r"new instructions?:|system (?:prompt|message)|"
    r"do not (?:tell|inform|mention|reveal|show|ask) (?:this |it |anything )?(?:to )?(?:the )?(?:user|"
    r"human|person|anyone)|without (?:asking|telling|informing) (?:the )?(?:user|anyone|human)|"
    r"(?:send|post|upload|exfiltrate|leak|forward|email|copy) .{0,60}(?:to|at) (?:https?:|ftp:|"
    r"[\w.]+@)|(?:curl|wget) .{0,80}\|\s*(?:ba|z)?sh|"
    r"(?:reveal|print|output|leak|dump) .{0,30}(?:secrets?|passwords?|tokens?|api keys?|credentials?|"
    r"environment variables?)|"
    r"(?:assistant|ai|agent|model|llm|claude|gpt|copilot)s? (?:must|should|shall|will|has to|"
    r"needs to) (?:always |never |now )?(?:run|execute|call|obey|follow|delete|push|approve|comply|"
    r"trust|send|use)|"
    r"(?:always|must|immediately|silently|automatically) (?:run|execute|approve|accept|trust|obey|"
    r"call|invoke|install) |rm -rf|"
    r"(?:disable|skip|turn off|bypass) .{0,30}(?:checks?|verification|security|safety|review|approval|"
    r"sandbox|confirmation))"
)
CONTROL = re2.compile(r"<\|[^|]{1,40}\|>|\[/?INST\]|</?(?:system|assistant|tool|instructions?)>|</s>")

# Names that exclude each other where one is chosen; the key is what is chosen.
CHOICES = {
    "database": "postgres postgresql mysql mariadb mongodb mongo sqlite dynamodb cassandra cockroachdb oracle mssql",
    "indentation": "tabs spaces tab space",
    "package manager": "npm yarn pnpm bun pip poetry pipenv uv conda cargo",
    "test framework": "pytest unittest nose jest vitest mocha jasmine ava",
    "formatter": "black yapf autopep8 prettier biome dprint",
    "linter": "flake8 pylint ruff eslint tslint oxlint",
    "cloud": "aws gcp azure heroku vercel netlify fly.io hetzner digitalocean",
    "web framework": "django flask fastapi starlette rails express koa fastify nestjs",
    "front end": "react vue svelte angular solid preact ember",
    "message queue": "rabbitmq kafka sqs nats pulsar activemq",
    "merge style": "squash rebase merge-commit fast-forward",
    "version control host": "github gitlab bitbucket gitea codeberg",
    "orchestration": "kubernetes k8s nomad swarm ecs",
    "language": "python typescript javascript rust go golang java kotlin ruby elixir scala",
    "quotes": "single-quotes double-quotes",
    "api style": "rest graphql grpc soap",
    "ci": "jenkins circleci travis buildkite teamcity",
    "cache": "redis memcached valkey dragonfly",
    "search engine": "elasticsearch opensearch solr meilisearch typesense",
    "time zone": "utc",
    "theme": "dark light",
    "case": "snake_case camelcase kebab-case pascalcase",
}
CHOICE_OF = {name: choice for choice, names in CHOICES.items() for name in names.split()}
SAME = {
    "postgresql": "postgres",
    "mongo": "mongodb",
    "tab": "tabs",
    "space": "spaces",
    "golang": "go",
    "k8s": "kubernetes",
}
