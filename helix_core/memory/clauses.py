"""Read how a sentence is built: whether it is about this moment, states what holds, rules, tells what went wrong.

Patterns of grammar and of speech acts, in place of words of a subject: who acts, in what tense and mood, on what. They
run in linear time over any text, on RE2.
"""

from __future__ import annotations

import re2

from helix_core.words import MONTHS, WEEKDAYS

_ARTEFACT = (
    r"(?:sessions?|conversation|chat|document|text|message|prompt|title|task|question|answer|lines?|tests?|change|"
    r"commit|patch|pr|mr|pull request|diff|hunk|snippet|code|loop|name|naming|wording|comment|check|import|branch|"
    r"output|error|message|build|run|version|fix|approach|idea|suggestion|part|bit|block|thing|stuff|if|else|"
    r"condition|variable|argument|parameter|assert(?:ion)?|cast|call|file|function|method|class)"
)
_NUMERAL = r"(?:\d+|all|none|both|some|most|one|two|three|four|five|six|seven|eight|nine|ten|several|many|few)"
_AUTHORED = (
    r"(?:functions?|methods?|class(?:es)?|modules?|handlers?|components?|hooks?|endpoints?|routes?|migrations?|"
    r"columns?|fields?|names?|variables?|constants?|types?|enums?|interfaces?|structs?|tests?|specs?|fixtures?|"
    r"mocks?|scripts?|commits?|branches|branch|tags?|pull requests?|prs?|comments?|docstrings?|identifiers?|imports?|"
    r"strings?|timestamps?|dates?|amounts?|passes|errors?|exceptions?|messages?|queries|files?|packages?|services|"
    r"systems|models?|scenes?|assets?|notebooks?|dashboards?|reports?|figures|charts?|labels?|keys)"
)
_OUTPUT = (
    r"(?:answers?|replies|reply|explanations?|responses?|summar(?:y|ies)|examples?|diffs?|patches|code blocks?|"
    r"bullet points?|bullets|emojis?|apologies|pleasantries|walls? of text|spelling|small talk|disclaimers?)"
)
_MEASURED = r"(?:at most|at least|up to|no more than|roughly|about|around|exactly|only|a maximum of|a minimum of)"

OWN_ACT = re2.compile(
    r"(?i)^(?:and |so |but |ok(?:ay)?,? |done[,:]? |also |now |then )*i(?: have|'ve)? (?:(?:also|now|just|already|"
    r"then|first|only|quickly|could|couldn'?t|did|didn'?t|do|don'?t|can|can'?t|cannot|not|will|won'?t|would|"
    r"wouldn'?t) )*(?:add|check|rename|mov|remov|updat|fix|chang|replac|extract|creat|delet|push|rebas|squash|merg|"
    r"commit|ask|look|tr(?:y|i)|find|found|see|saw|reproduc|assum|open|read|wr(?:ite|ote)|ran|run|made|make|did|do|"
    r"put|took|take|got|get|test|install|restart|start|stopp?|implement|refactor|clean|mean|need|understand|"
    r"understood|guess|hope|wonder|wish|notic|forgot|forget|miss|clos|review|approv|rais|split|revert|resolv|address|"
    r"follow|verif|confirm|figur)(?:[npt]?ed|d|ied|ing|s|es)?\b|^(?:so |and |but )?i(?:'m| am|'ve been| have been) "
    r"(?:also |just |still |now |currently )?(?:read|star|look|try|go|run|debug|think|wonder|wait|ask|gett|hav|see|"
    r"stuck|bor|lost|confus|do|us)(?:ing|ed)?\b|^i have (?:here )?(?:an?|the|some|one) (?:\w+ )?(?:error|problem|"
    r"question|issue|idea|doubt|suggestion)\b"
)
"""What the speaker did, does or cannot do in this session."""
ACTIVITY = re2.compile(
    r"(?i)^(?:now |still |currently |just |next,? )*(?:re)?(?:reading|running|checking|looking|trying|searching|"
    r"opening|inspecting|waiting|building|testing|adding|fixing|working|going|moving on|updating|writing|installing|"
    r"starting|verifying|investigating|approving|merging|closing|deploying)\b"
)
"""What is being done now; with a verb of its own after it, it is a subject: "running it twice is safe"."""
FINITE = re2.compile(r"(?i)\b(?:is|are|was|were|must|may|can|should|has|have|needs?|takes?|costs?|breaks?)\b")
SUBORDINATE = re2.compile(r"(?i)\b(?:to see|to find out|where|whether|why|how|if|because|which|that|since)\b")
OF_THE_TALK = re2.compile(
    rf"(?i)^(?:(?:and|but|so|also|ok|not a blocker),? )*(?:(?:this|that|these|those) (?:\w+ )?{_ARTEFACT}"
    r"(?: (?:here|above|below))? (?:is|are|was|looks?|seems?|should|could|can|does|doesn'?t|fails?|failed|broke|"
    r"works?|needs?|has|reads?|feels?|belongs?)\b|(?:in )?(?:line|lines|step|item|case|job|run|build|ticket|issue|pr|"
    r"commit) #?\d+ (?:has|have|is|are|fails?|failed|was|needs?|looks?|seems?|still)\b|there'?s (?:an?|one|some|no|"
    r"still|already) |the (?:\w+ )?(?:error|exception|output|log|trace|diff|warning|failure|message|conversation|"
    r"prompt|title|user's request|current (?:date|time)|last one|above|following|rest)(?: message| above| below)? "
    r"(?:is|was|says?|shows?|suggests?|looks?|seems?|means?|points?)\b|this (?:also |now |only |just |commit |patch |"
    r"change |pr )*(?:adds?|removes?|fix(?:es)?|changes?|moves?|renames?|makes?|breaks?|cleans?|drops?|extracts?|"
    r"introduces?|updates?|needs?|handles?|reverts?|lets?|allows?)\b)"
)
"""About the change, the line, the output that both look at, not about what holds later."""
OF_NOW = re2.compile(
    r"(?i)\b(?:here (?:as well|too)|over here|in this (?:pr|mr|pull request|patch|commit|session|thread|branch|file|"
    r"function|conversation)|(?:for|in) (?:a |another |the next |some )?follow-?up|in (?:the|my|your) (?:last|latest|"
    r"next|previous) (?:push|commit|patch|meeting|reply|message)|see the (?:issue|ticket|description|thread|link)s?|"
    r"(?:slow|fast|red|green|broken|down|late|back|busy|flaky) (?:again )?(?:today|now|again)|until (?:tomorrow|"
    r"tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|next week)\.?$|let(?:'s| us) (?:\w+ "
    r"){1,3}(?:on )?(?:tomorrow|later|monday|tuesday|wednesday|thursday|friday|next week|tonight)\b)|^let(?:'s| us) "
    r"(?:just |not )?\w+ (?:with |at |on |into )?(?:this|that|it|these|those)\b|^(?:tbd|tba|n/a|ditto)\b|\bon my "
    r"(?:machine|laptop|box|computer|phone|side|end|branch)\b|\bwhen i (?:\w+ )|\bsince (?:the|this|your|my) (?:last "
    r"|latest )?(?:update|change|merge|commit|deploy|upgrade|rebase|pull|refactoring)\b.* (?:i|it|we) |\bby (?:eod|"
    r"tomorrow|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday|next week|(?:the )?end of (?:the "
    r")?(?:day|week))\.?$|^(?:so |and |but |also |then )*(?:we|i|somebody|someone|you)(?:'ll| still| just| also)? "
    r"(?:need|needs|have|has|ought|should|must) to (?:\w+ )?(?:fix|add|update|rename|clean|check|find|figure|talk|"
    r"ask|wait|test|rewrite|refactor|merge|migrate|look|discuss|sort|finish|debug|investigate|rerun|redo|revisit|"
    r"think|see)\b"
)
"""For this moment, this file, this exchange."""
COUNT_OF_RUN = re2.compile(
    rf"(?i)^(?:{_NUMERAL} )+(?:of (?:the |our |these )?(?:{_NUMERAL} )?)?(?:\w+ )?(?:tests?|checks?|specs?|cases?|"
    rf"jobs?|"
    r"builds?|errors?|failures?|warnings?|files?)\b.{0,20}\b(?:pass(?:es|ed)?|fail(?:s|ed)?|(?:are|is|were|remain) "
    r"(?:green|red|left|broken)|changed|remain(?:s|ing)?)\b|^plan: \d+ to \w+, \d+ to \w+"
)
"""What one run of something counted."""
SECTION = re2.compile(
    r"(?i)^(?:(?:alternatives?|options?|pros|cons|open questions?|open points?|to ?dos?|next steps?|summary(?: of "
    r"changes)?|changes|changelog|nits?|question|steps to reproduce|problem|symptoms?|expected|actual|observed)\b ?:|"
    r"(?:signed-off-by|co-authored-(?:by|with)|reviewed-by|wip|nit)\b)|^(?:next step|an?other option|option "
    r"[a-z\d])\b"
)
"""The head of a part of a text that states nothing that holds."""
POSSIBLE = re2.compile(
    r"(?i)^(?:and |but |so |or |hm+,? )*(?:it|this|that|there) (?:can|could|may|might) (?:also |well |still )?(?:be|"
    r"come|happen)\b|\b(?:which (?:can|could|may|might) (?:be|mean|explain)|one could|could (?:also )?(?:be|come|"
    r"have)|suggests? that|would (?:have|cost|need|require|mean|make|take|be|do|help|work|break|like|it)\b|could "
    r"simplify|i'?d (?:expect|drop|use|move|rename|put|make|say|go|rewrite|remove|split|extract|just)|some ?day|"
    r"apparently|supposedly|allegedly|afaik|iirc|as far as i (?:know|remember|can tell|see)|in theory|presumably|my "
    r"guess|up for discussion|not final|tentative(?:ly)?|leaning towards?|still (?:thinking|discussing|debating)|"
    r"thinking (?:about|of)|considering|not convinced|(?:i|we) (?:propose|suggest|wonder|doubt)|it is (?:suspected|"
    r"assumed|rumou?red)|rumou?rs?|for (?:some|whatever) reason|as (?:informed|told|mentioned|discussed))"
)
"""What could be or would be so."""

ASKED_FOR = re2.compile(
    r"(?i)^(?:the |our |constraint from the |requirement from )*(?:user|users|customer|client|legal|security|ops|"
    r"product|management|compliance|team|reviewers?)s?:? (?:has |have |always |strongly |explicitly )*(?:prefers?|"
    r"likes?|hates?|dislikes?|wants?|insists?|demands?|expects?|requires?|asked (?:for no|not to|never to|always to|"
    r"that))\b|\b(?:legal|security|compliance|the (?:customer|client|law|regulator)) (?:insists|demands|requires "
    r"(?:it|that))\b|^constraint\b"
)
"""What somebody with a say in it wants, as its hearer noted it."""
WISH = re2.compile(
    r"(?i)^(?:the )?(?:user|customer|client)s? (?:always |strongly |really )?(?:prefers?|likes?|hates?|dislikes?|"
    r"wants?|loves?)\b|^(?:please )?(?:give|show|tell|answer|send|talk to|write) me .{1,60}\b(?:never|always|not|"
    r"first|only|without|instead)\b|\bi (?:find|consider) .{2,60} (?:better|worse|easier|harder|nicer|clearer|"
    r"cleaner|more \w+|less \w+|too \w+|\w+er than)|\bi (?:am|get|become|became) (?:\w+ ){0,3}(?:angry|annoyed|"
    r"nervous|confused|lost|upset|mad|frustrated)\b (?:when|if|by|at|with|about)|, please without\b|^spare me\b|"
    r"^(?:please )?(?:talk|speak|write|explain|answer|reply|show|give|tell|call|address|treat|ask|send|quote) "
    r".{2,60}(?:, (?:not|never) |\binstead of\b|\brather than\b|\bwhenever\b|\bwhen you\b|\blike (?:i'm|an?) )|^[\w "
    r"-]{2,40},? please,? (?:not|no|never|without) |^(?:no|only|just|fewer|more|less) .{2,60}(?:,? please|for me|"
    r"with me|in (?:your|the) (?:answers?|replies|code))\.?$|\bi (?:\w+ )?(?:read|think|work|understand|learn|follow|"
    r"remember|review|type) .{0,50}\b(?:better|faster|best|easier|more (?:easily|quickly))\b|\bi(?:'m| am)? "
    r"(?:really |also |much )?(?:value|enjoy|care (?:about|for|more)|dread|swear by|allergic to|sick of|tired of|"
    r"(?:can|could) (?:do|live) without|don'?t (?:care (?:about|for)|mind|enjoy|trust))\b|\bpet peeve\b|\bno need to "
    r"(?:explain|repeat|tell|ask)\b|\bwhen(?:ever)? you (?:answer|reply|explain|respond|write|show|suggest|"
    r"propose)\b|\b(?:lost|wasted) on me\b|"
    rf"^(?:please )?(?:no|only|always|never|keep|skip|prefer|use|short|shorter|fewer|less|more) (?:\w+ "
    rf"){{0,3}}{_OUTPUT}\b(?: (?:short|brief|first|terse|to|in|for|with|without|please)\b|, please|,? not |\.?$)|"
    rf"^{_OUTPUT},? (?:please|only|first|in|without|not)\b|\b(?:drives|annoys|bothers|irritates|confuses) me\b|"
    r"\b(?:hurts|kills) my (?:eyes|flow|brain)\b"
)
"""What the speaker, or the user that is noted, likes better."""
OF_SELF = re2.compile(
    r"(?i)^(?:hi,? |hello,? |fyi,? |for context,? |as )?(?:i(?:'m| am)? (?:mostly |mainly |currently |only |just |"
    r"also )?(?:work|live|sit|maintain(?:ing)?|own|run|lead|manage|look(?:ing)? after|tak(?:e|ing) care of|come from|"
    r"speak|know (?:no|little|only)|maintaining|new (?:to|here|in)|responsible|in charge|not an? (?:native|"
    r"programmer|developer|engineer|designer|expert|coder|lawyer|specialist)|self-taught|color-?blind|on the \w+ "
    r"team)\b|i (?:joined|studied|trained|teach|have no (?:access|experience|background|idea of)|have (?:never|"
    r"mostly) (?:written|used|worked|programmed|done)|do (?:the|all the|mostly|only) (?:\w+ )?(?:art|design|music|"
    r"writing|animation|testing|frontend|backend|ops|support|research|analysis|reviews|levels|sound))\b|i'?ve been "
    r".{2,40} (?:for .{1,20} (?:years|decades)|since (?:19|20)\d\d)\b|as (?:an?|the) [\w -]{2,30}, i |i (?:handle|"
    r"cover|lead|design|operate|administer|coordinate|supervise) (?:the|all|our|most|everything)\b|this is [A-Z]\w+ "
    r"(?:from|of)\b|i(?:'m| am) (?:since|for) .{2,40}\b(?:the|an?|in|at|with)\b|my (?:time ?zone|name|role|title|"
    r"team|native language|first language|mother tongue|background|pronouns|job|day job)\b|the user (?:is|works|"
    r"lives|speaks|comes|has (?:no|little|years)|maintains|knows)\b)"
)
"""Who the speaker is, or the user that is noted."""

DECIDED = re2.compile(
    r"(?i)\b(?:we(?:'ve| have)? (?:\w+ ){0,2}?(?:decided|agreed|chose|chosen|settled|picked|opted|rejected|"
    r"considered .{2,60} and (?:rejected|chose|kept|dropped))|we have us (?:for|against)|it was (?:decided|agreed)|"
    r"(?:was|were|got|been) (?:chosen|picked|preferred|rejected|adopted|agreed|voted)|(?:is|are|was|were) (?:\w+ "
    r")*(?:on purpose|deliberate(?:ly)?|intentional(?:ly)?|by design)|the (?:vote|decision|consensus|outcome) was|"
    r"signed off on|we (?:keep|accept|live with|gave up on|went back to|stick|build .{2,40} ourselves)|we(?:'re| "
    r"are) (?:not going to|keeping|staying)|(?:is|are|was|were|been|gets?) (?:cut from|out of|postponed|dropped|"
    r"scrapped|removed|retired|frozen) (?:the scope|scope|in|with|for|until|from)|agreed (?:to|that|on|with)|(?:is|"
    r"are|will be|gets?|get) (?:now |to be )?(?:dropped|retired|phased out|shut down|turned off|switched off|"
    r"deferred|rewritten|ported|split (?:into|off)|merged into|reserved for|kept for) |stays? (?:with|as|the|our) |"
    r"for (?:the first|this|v\d+(?:\.\d+)?) (?:version|release|generation|season|milestone|iteration)|(?:wins|won) "
    r"over|supersedes? (?:adr|rfc|#|the (?:earlier|old|previous))|stays? in place|from here on|from now on,? we|"
    r"we(?:'re| are) (?:not )?(?:\w+ing .{1,60} (?:any ?more|any longer)|(?:dropp|ditch|retir|remov|sunsett|abandon|"
    r"deprecat|keep|adopt|tak|choos|pick)ing)|we (?:don'?t|do not|won'?t|will not) (?:\w+ ){1,6}(?:any ?more|any "
    r"longer)|we will (?:not|never) \w+|we'?ll never)\b|\bon purpose\b|^(?:decision|decided|status: accepted|"
    r"accepted|resolution|outcome|final call|verdict)\b ?[:.]|, [\w ]{2,30} it is\.?$"
)
"""A choice that was made."""
RULED = re2.compile(
    r"(?i)^only .{2,40} (?:may|can|must|should)\b|\b(?:is|are|as) (?:by us )?(?:an? )?(?:no-?go|must|taboo|off[- "
    r"]limits|frowned upon|not an option|not ok(?:ay)?|discouraged|compulsory|obligatory)\b|\b(?:one|nobody|no one|"
    r"you|we) (?:may|must|should|can) (?:not|never|only)\b|\brequires? (?:at least )?(?:an?|one|two|three|\d+|the) "
    r"(?:\w+ )?(?:approval|review|reviewer|sign-?off|test|ticket|owner|changelog|label|milestone)s?\b|^(?:any|every|"
    r"no)(?:thing|body|one) (?:in|under|that|who|with|from|touch)\b|^no [\w-]+(?: [\w-]+){0,4} (?:in|on|without|for|"
    r"before|after|at|outside|from|to|unless|please)\b|\b(?:everywhere|throughout|across the board|without exception|"
    r"every (?:single )?time|each time|at all times)\b[^.]*$|\bfor (?:all |any )?new [\w -]{2,30} (?:we )?(?:take|"
    r"use|only|always)\b|\bwe take for new\b|\bwe (?:\w+ )?(?:no|only) [a-z]+|^please (?:\w+ )?(?:always|never|no|"
    r"don'?t|do not)\b|\bwithout asking\b|\b(?:has|have|ha[sd] got|needs?) to \w+ (?:without|with|before|after|"
    r"through|in|on|by|under|within)\b|^(?:we|you) (?:don'?t|do not|never|always) \w+ .{0,40}\b(?:in|on|from|without|"
    r"inside|outside) |"
    rf"^(?:all |our |public |private |internal |new |unit |integration )*{_AUTHORED} (?:(?:always|never|only|also|"
    rf"all) )?(?:are|have|take|"
    r"return|go|come|live|use|get|carry|start|begin|end|have|need|derive|inherit|follow|say|name|declare|state|call|"
    r"speak|stay|keep|throw|raise|log|accept|contain|belong|sit|read|describe|cover|run|write|import|export)\b|"
    rf"\b(?:without|with no) .{{2,50}} (?:is|are|gets?|won'?t be|is not|isn'?t) (?:\w+ )?(?:rejected|merged|reviewed|"
    rf"deleted|closed|ignored|"
    r"reverted|refused)\b|\bonly [\w -]{2,30} (?:touch(?:es)?|writes?|talks?|reads?|calls?|imports?|merges?|deploys?|"
    r"edits?) \w|^(?:use|prefer|keep|write|name|prefix|put|log|raise|return|avoid|document|cover|wrap|store|declare) "
    r"(?:all|every|each|any|only|no) |"
    rf"^(?:[\w-]+ ){{0,2}}[\w-]+s (?:always |only |never |also )?(?:go|happen|need|belong|come with|get|are (?:\w+ly "
    rf")?(?:reviewed|written|named|checked|approved|"
    r"signed off|documented|tested|squashed|versioned|translated)) |\bso (?:no|never|always|don'?t|do not|keep|"
    r"please) .{3,60}|\b(?:is|are|gets?|must be) (?:append-only|opt-in|opt-out)\b"
)
"""What is to be done, or not, whenever it comes up."""
WENT_WRONG = re2.compile(
    r"(?i)\b(?:died|froze|slipped|garbled|mangled|swallowed|ran (?:out|full|dry)|went (?:missing|dark|wrong|"
    r"unnoticed|red)|filled (?:up )?the|got (?:lost|stuck|mixed up|corrupted|wiped|duplicated)|shipped (?:with|"
    r"without)|deadlocked|hung|corrupted|leaked|doubled|duplicated|vanished|disappeared|flickered|overflowed|"
    r"overwrote|crashed|exploded|stalled|starved|(?:was|were|been|got|are) (?:bitten|burned|burnt|hit|locked out|"
    r"lost|wiped|deleted by accident)|(?:bit|burned|burnt|cost|hit|rejected|blocked|locked|surprised|killed|haunted) "
    r"(?:us|me|the team|our)|it cost|cost (?:a|an|two|three|\d+|half) |lost (?:on time|power|money|data|orders|"
    r"messages)|brought .{2,40} (?:down|to its knees)|took .{2,40} down|the last (?:deploy|release|migration|upgrade|"
    r"import|run) (?:failed|broke)|failed (?:since|because|as|after|when|due|on|with)|is the \w+ crashed|has "
    r"(?:printed|sent|deleted|written|charged|mailed) .{1,40} because)\b|^(?:the )?last time\b|^(?:an )?(?:earlier|"
    r"previous|first) (?:attempt|try|version|deployment|rollout|run)\b.*\b(?:failed|broke|deadlocked|hung|crashed|"
    r"was|were|had|lost|leaked)\b|^(?:at|in|on|during) (?:the|our) (?:first|last|previous) [\w -]{2,30} (?:the|our|a|"
    r"we)\b"
)
"""What failed once."""
PURPOSE = re2.compile(
    r"(?i)\b(?:the )?(?:point|goal|aim|purpose|idea|mission|vision|scope) (?:of|behind) .{1,60}\b(?:is|was|are)\b|"
    r"\bexists? (?:so that|to|because|for)\b|\b(?:is|are) (?:meant|intended|built|made|there) (?:for|so that|to let|"
    r"to help)\b|\b(?:the )?(?:deadline|due date|launch date|release date|go-live|milestone)\b.{0,60}\b(?:is|on|in|"
    r"by|until)\b|\b(?:our|the) (?:users|customers|audience) (?:are|is)\b|\b(?:goes?|going|be|have to be|has to be|"
    r"is to be) live\b|\b(?:launch|beta|pilot|demo|public release|early access|version \d[\d.]*) (?:is|starts?|"
    r"opens?|begins?|ships?|comes? out|goes out|must|has to)\b|\b(?:must|has to|have to|should|will) (?:ship|launch|"
    r"run|be (?:out|done|ready|finished|delivered|certified|usable)) (?:\w+ ){0,4}(?:by|before|in|until|on|for)\b|"
    r"\bhas to (?:be )?(?:ship|launch|go live)\b|\b(?:aims? (?:at|to|for)|(?:is|are) aimed at|we(?:'re| are) "
    r"(?:building|making|developing) (?:an?|the)|we want (?:to|an?) .{2,60} (?:by|before|in|so that))\b|^(?:the|this|"
    r"our) (?:\w+ )?(?:game|project|tool|app|product|compiler|library|platform|system|site|website|study|program|"
    r"package) (?:is (?:for|about|meant|aimed)|lets|helps|exists|serves|teaches|aims)\b"
)
"""What the work is for, and until when."""
STACK = re2.compile(
    r"(?i)^(?:we(?: \w+ly| all| only| currently| now)?|(?:the|this|our) (?:(?:mobile|web|desktop|whole|main|public|"
    r"internal) )?(?:project|repo(?:sitory)?|codebase|service|api|app|worker|gateway|database|cluster|application|"
    r"backend|frontend|back end|front end|server|client|website|site|pipeline|ci|package|library|monorepo|build|"
    r"product|team|stack|extension|cli|docs)) (?:now |only |all |currently )?(?:uses?|runs?(?: on)?|requires?|"
    r"depends? on|deploys?|ships?|supports?|targets?|hosts?|stores?|publish(?:es)?|(?:is|are) (?:written|built|"
    r"hosted|deployed) )\b"
)
"""What the project as a whole is made of."""
WHO_WHAT = re2.compile(
    r"(?i)\b(?:(?:is|are) (?:in charge|responsible|competent|accountable|the (?:contact|owner|go-to|maintainer|"
    r"person|expert))(?: \w+)? (?:of|for|on)|(?:contact|owner|maintainer|go-to person|ownership|expert) (?:for|of) "
    r".{2,60} (?:is|are|moved|lies|belongs)|ask [A-Z]\w+ (?:about|for|before)|by .{2,40} we mean|looks? after|takes? "
    r"care of|is [A-Z]?\w+'s (?:thing|job|baby|area|turf|domain|call)|belongs to (?:\w+'s|the) (?:group|team|people)|"
    r"(?:moved|went|goes) to \w+'s (?:group|team|people)|tag (?:them|him|her) on)\b"
)
"""Whose something is."""
DEFINES = re2.compile(
    r"^(?:An? )[\w /-]{2,40} (?:is|are|means) (?:an?|the|one|all|any|what|where) |^(?:[a-z]+[\w-]*|[A-Z][\w-]*(?: "
    r"[A-Z][\w-]*)?) is (?:an?|the name|our) [\w-]+(?: [\w-]+){0,6}? (?:that|which|who|for|of|in|on|written|by)\b|"
    r"^The [\w-]+ is an? [A-Z0-9][\w-]*\d[\w-]*\b|^(?:[A-Z][\w.]*[A-Z]\w*|[A-Z][a-zé]+(?: (?:[A-Z][\w-]+|van|von|"
    r"de))*|[A-Z]{2,}|[a-z]+(?:-[a-z\d]+)+|`[^`]+`) (?:is|are) (?:our|the|one of (?:our|the)|what we call|short for|"
    r"also known as|known as|nicknamed|[a-zé]+'s|[A-Z]\w+'s)\b|^(?:Mrs?\.? |Ms\.? |Dr\.? |Prof\.? )?[A-Z][a-zé]+(?: "
    r"[A-Z][\w-]+)?(?:, (?:our|the) [\w -]{2,30},)? (?:handles|decides|approves|signs off|heads|coordinates|reviews|"
    r"administers|oversees|supervises|designs|is on|is from|is with|leads|runs the|takes the|does the|has the "
    r"(?:keys?|access|contract|last word|final say))\b|^(?:Our|The|our|the) (?:[\w-]+ ){0,3}(?:lead|designer|manager|"
    r"contact|vendor|owner|maintainer|architect|analyst|sponsor|customer|supplier|partner|admin|author|reviewer|"
    r"researcher|physician|director|producer|artist|composer|lawyer|consultant|auditor|officer|team|agency|host|"
    r"provider)s? (?:\w+ \w+ )?(?:is|are) (?:Mrs?\.? |Ms\.? |Dr\.? |Prof\.? )?[A-Z][\wé-]+"
)
"""What a word stands for, or of what make a part is."""
STEPS = re2.compile(
    r"(?i)^(?:to|for|in order to|when(?:ever)? (?:you|we)|after|before|once) .{3,80}?[,:] (?:first |then |just |"
    r"please |you |we )*(?:run|use|call|execute|start|stop|open|type|set|edit|build|rebuild|swap|copy|delete|remove|"
    r"create|add|restart|clear|commit|push|deploy|cordon|drain|hold|press|flash|log|go|make|check|update|install|"
    r"export|import|apply|bump|tag|select|click|choose|rename|move|replace|load|dump|connect|ssh|kill|wait|unplug|"
    r"turn|enable|disable|regenerate)\b|^(?:one|you) (?:starts?|runs?|gets?|installs?|restarts?|builds?|rebuilds?|"
    r"resets?|deploys?) .{2,80}\b(?:by|with|via|and then)\b"
)
"""How something is done, step by step."""
CHAIN = re2.compile(
    r"(?i)\b(?:run|copy|open|set|call|bump|tag|push|merge|restart|deploy|build|wait|edit|delete|export|import|stop|"
    r"start) .{2,60}(?:,|,? and|,? then|;) (?:then |and )?(?:run|copy|open|set|call|bump|tag|push|merge|restart|"
    r"deploy|build|wait|edit|delete|export|import|stop|start|check) "
)
"""One step and another."""
GENERAL = re2.compile(
    r"(?i)^(?:the|an?|our|all|each|every|both|my|your|its|no|any|most|new|old|[\w`./#-]+)(?: [\w`'’./#-]+){0,6}? "
    r"(?:(?:never|always|only|also|usually|normally|silently|automatically) )?(?:accepts?|demands?|answers?|counts?|"
    r"covers?|creates?|deletes?|emits?|exists?|exposes?|fires?|forwards?|gets?|gives?|governs?|ignores?|includes?|"
    r"inherits?|knows?|lags?|loads?|logs?|maps?|measures?|parses?|polls?|prints?|produces?|publishes|receives?|"
    r"refreshes|rejects?|renders?|replaces?|resolves?|responds?|retries|samples?|sends?|serves?|signs?|speaks?|"
    r"splits?|subscribes?|syncs?|tolerates?|triggers?|validates?|waits?|wraps?|works? with|becomes?|begins?|carr(?:y|"
    r"ies)|comes?|consists?|costs?|differs?|drops?|equals?|exits?|fails? over|generates?|grows?|hands?|hosts?|"
    r"imports?|joins?|lacks?|links?|listens?|matches|merges?|moves?|offers?|opens?|overrides?|overwrites?|passes|"
    r"permits?|prefers?|prefixes|provides?|pulls?|pushes|queries|queues?|ranges?|redirects?|relies|removes?|"
    r"reserves?|rounds?|scales?|schedules?|selects?|shows?|shares?|shuts?|skips?|sorts?|stays?|stops?|streams?|"
    r"strips?|submits?|throws?|translates?|treats?|turns?|updates?|uploads?|wakes?)\b"
)
"""A subject and what it does as a rule."""

DATED = re2.compile(
    rf"(?i)\b(?:yesterday|last (?:week|month|night|year|spring|summer|autumn|fall|winter|{'|'.join(WEEKDAYS)}|sprint|"
    rf"release)|(?:on|in) (?:{'|'.join(MONTHS)}|20\d\d|(?:the )?(?:spring|summer|autumn|winter))|(?:two|three|a few|"
    rf"\d+) (?:days|weeks|months|years) ago)\b"
)
"""A time at which something happened once, where it is told in the past tense."""
TO_THE_OTHER = re2.compile(
    r"(?i)\b(?:thank you|thanks (?:so|for|in)|thx|no rush|have a (?:nice|great|good|wonderful)|wish you|sorry (?:for|"
    r"to|about)|whenever you have|any (?:pointer|hint|help|idea)s? (?:is|are|would|welcome)|nice (?:catch|work|one)|"
    r"well spotted|regret to)\b|^(?:wow|perfect|awesome|never ?mind|sorry|hello|yo|tbh|hm+|lol|haha|congrat\w*|good "
    r"question|welcome|please wait|so far)\b|^(?:great|nice|cool|good) (?:\w+)[,.!]|^(?:now,? |if |once |when )?you "
    r"(?:have|will|did|are|were|'ve|'ll|forgot|missed) (?:\w+ )*(?:been|be|to|not|completed|finished|given|asked|"
    r"provided|presented)\b|^(?:hello|hi|hey|ok|now|so|and|also|\w+:)?,? ?(?:\w+: )?(?:how (?:do|does|is|are|can|to|"
    r"should)|where (?:is|are|do|does|can)|why (?:is|are|do|does)|what (?:is|are|does|do)) |, what is wrong\b"
)
"""Politeness, praise, a question, and what the other one is told of their part."""
FORM_OF_OUTPUT = re2.compile(
    r"(?i)^(?:please |strictly |just |only |simply |now |then )*(?:return|reply|respond|output|provide|keep (?:it|"
    r"the (?:title|text|answer|message|summary))|interpret|turn (?:this|these|the)|use the (?:sections?|format|"
    r"following|chat|new|same)|generate|rephrase|proofread|shorten|answer with|write (?:all|a|an|the) (?:\w+ "
    r"){0,3}(?:from|for|about))\b|^(?:please )?(?:translate|convert|summari[sz]e|shorten|proofread|rephrase|rewrite|"
    r"explain|fix|correct|classify|describe|improve|review|compare|format|answer|continue|complete) (?:this|the "
    r"following|these|to [A-Z]?[a-z]+|me)(?: \w+){0,3}: |^(?:\w+ )?(?:json|xml) (?:format|object)?:|^(?:message|"
    r"responses? from \w+|query|input|context|history|instructions?|reminder): "
)
"""What form the next reply has to have."""
QUOTED = re2.compile(r"^(?:[\"“«{(\[<>]|(?i:assistant|user|human|claude|gpt|chatgpt|copilot|system|ai|bot|model)s?: )")
"""Said by another one, or set apart from what is said."""
PRINTED = re2.compile(
    r"(?i)^(?:file \"[^\"]+\", line \d|(?:failed|passed|error|skipped|xfail) \S+(?:::|/)|=* ?\d+ (?:failed|passed|"
    r"errors?|warnings?)\b|[0-9a-f]{7,40} \w+|\w+ (?:failed|passed), \d+|\s*at \S+\(|\d+ files? changed)"
)
"""A line that a program printed."""
REPORTED = re2.compile(
    r"(?i)^(?:[\w.]+ ){1,4}(?:says?|said|thinks?|thought|believes?|believed|reckons?|hopes?|hoped|fears?|wonders?|"
    r"wondered|mentioned|reported|reports that|complained|argues?|argued|proposes?|proposed|asked (?:why|if|whether|"
    r"when|how|about|for a|to)|heard|feels?)\b"
)
"""What another one thinks, asks or tells."""
ACTS_ON = re2.compile(
    r"(?i)^(?:the|our|an?|every|each|this|my|its) (?:[\w.'’/&-]+ ){1,5}[a-z]{2,}[a-rt-z]e?s (?:only |never |always |"
    r"once |also |both )?(?:the|an?|our|its|their|all|every|each|no|one|two|three|`|\d)"
)
"""A subject and what it does to what."""
_PAST = re2.compile(
    r"(?i)(?:^|\W)(?:(?P<be>(?:\w*[’'](?:s|re|m|ve)|a|an|the|by|with|of|as|when|if|once|than|to|your|our|its|no|all|"
    r"is|are|be|being|has|have|gets?|get|must|should|may|can)) (?:(?:not|never|always|only|also|now|already|all) "
    r")?)?(?P<past>[a-z]{2,}ed|was|were|had|went|took|broke|lost|cost|came|fell|hung|blew|bit|ran|got|sent|wrote|"
    r"forgot|left|kept|held|grew|sank|stole|threw|woke|ate|brought|caught|drove|gave|led|met|read|sold|shut|stood|"
    r"stuck|struck|tore|spent|found|made)\b"
)
_CAUSE = re2.compile(
    r"(?i)\b(?:because|since|due to|after|when|until|hence|therefore|thanks to|which is why|that'?s why|as soon as|"
    r"so that|as (?:the|nobody|no one|we|it|a)|until (?:we|somebody|the))\b|, so "
)
_BY_US = re2.compile(
    r"(?i)^(?:so |and |then |therefore |\w+ed by .{2,40}, |because .{2,60}, |since .{2,60}, )*(?:we|the team|the "
    r"board|the guild|everyone)\b"
)
HABIT = re2.compile(
    r"(?i)^(?:in \w+ |on \w+ )?we (?:always |only |also |all |usually |normally |generally |never )?(?:treat|review|"
    r"test|lint|document|log|cut|tag|release|rotate|validate|mock|measure|version|bump|cherry-pick|rebase|keep|put|"
    r"leave|close|label|assign|pair|check|back up|merge|delete|add|call|pin|cache|encode|escape|round|parse|return|"
    r"raise|throw|catch|handle|wrap|inject|import|export|order|group|ship|translate|mark|split|avoid|favou?r|require|"
    r"expect|follow|stick|sign|encrypt|hash|record|annotate|generate|build|deploy|count|report|answer|escalate|"
    r"archive|share|publish|update|talk|speak|say)\b"
)
"""What we do as a rule."""
CONTRAST = re2.compile(
    r"(?i)\b(?:instead of|rather than|in favou?r of|as opposed to|but not|and not)\b|, not (?:an?|the|at|in|by|on|"
    r"with|per|from|through|via|as|[\w-]+)\b"
)
"""One thing and not another, which had been possible."""
SETTLED = re2.compile(
    r"(?i)^(?:that|this|it)(?:'s| is| was| has been) (?:the [\w -]{2,40} (?:we|the \w+|everyone|everybody) \w+|"
    r"(?:what|how) (?:we|the \w+|everyone|everybody) (?:\w+ ){0,2}(?:agreed|decided|want|chose|settled)\w*|(?:now |"
    r"all |already |also )?(?:final|settled|decided|agreed|signed off|approved|official|the plan|the decision)|"
    r"(?:rfc|adr)[ -]?\d+)\b"
)
"""A sentence by which the one before it is a decision."""


def is_past(said: str) -> bool:
    """Return whether a clause of a sentence is in the past tense; "is stored" and "has changed" are not."""
    return any(match.group("be") is None for match in _PAST.finditer(said))


def is_past_choice(said: str) -> bool:
    """Return whether a sentence tells what we did, and why, or what we did it in place of."""
    reason = _CAUSE.search(said) or CONTRAST.search(said)
    return reason is not None and _BY_US.search(said) is not None and is_past(_main(said))


def is_mishap(said: str) -> bool:
    """Return whether a sentence tells what happened once, with its cause or its time, and not as anyone's choice."""
    if not (_CAUSE.search(said) or DATED.search(said)) or not is_past(_main(said)):
        return False
    return not (_BY_US.search(said) or OWN_ACT.search(said) or OF_THE_TALK.search(said))


def _main(said: str) -> str:
    """Return a sentence up to the first reason or time that follows what it says."""
    cause = next((match for match in _CAUSE.finditer(said) if match.start() > 0), None)
    return said if cause is None else said[: cause.start()]
