"""Recognize messages that no workspace can help with: prompts that clients write, translations, general knowledge.

The rules go by the form of a request (an imperative, its object, what it works on), not by one client's words. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from helix_core.conversation.orders import is_narrow_job, is_of_an_assistant, is_of_the_client, is_order_about_text
from helix_core.conversation.parts import AS_CODE, asks_of_a_release, words_of
from helix_core.conversation.phrases import (
    BARE_VERBS,
    COMPLAINTS,
    CONTINUATIONS,
    INTERROGATIVES,
    OF_WORKSPACE,
    SOCIAL_WORDS,
    STEP_VERBS,
    STEP_WORDS,
    STOP_WORDS,
)
from helix_core.words import (
    ASKS_TO_RELEASE,
    ASKS_TO_SET_UP,
    ASKS_TO_TEST,
    ASKS_WHO_WROTE,
    HOW_TO_CUES,
    RELEASE_CUES,
    lazy_pattern,
    words_in,
)

HEAD, TAIL = 1_500, 600

_MAKE = (
    r"(?:generate|create|write|suggest|produce|provide|give|reply with|respond with|come up with"
    r"|summari[sz]e|extract|craft|draft|propose|determine|classify|analy[sz]e|choose)"
)
_MAKE_CUES = (
    "generate|create|write|suggest|produce|provide|give|reply with|respond with|come up with|summari|extract|craft"
    "|draft|propose|determine|classify|analy|choose"
)
_META = (
    r"(?:titles?|name|topic|label|emoji|tags?|keywords|follow-?ups?(?: questions?)?|(?:next|suggested"
    r"|relevant) (?:questions?|prompts?|replies)"
    r"|commit messages?|branch name|pull request (?:title|description)|pr (?:title|description)|changelog entry"
    r"|search quer(?:y|ies)|summary|recap|hand-?off)"
)
_OBJECT = (
    r"(?:chat|conversation|discussion|dialogue|messages?|chat history|thread|session|exchange|query"
    r"|request|prompt|diffs?|(?:my|these|staged|following|uncommitted) changes|staged|task|user(?:'s)? (?:input"
    r"|message|request|question)|above|so far"
    r"|transcript)"
)
_CLIENT = lazy_pattern(
    rf"\b{_MAKE}\b[^\n?]{{0,140}}?\b{_META}\b[^?]{{0,400}}?\b{_OBJECT}\b", re.IGNORECASE, cues=_MAKE_CUES
)
_CLIENT_OF = lazy_pattern(
    rf"\b(?:summari[sz]e|recap|condense|compact)\b[^\n?]{{0,60}}\b(?:this|the|our|following|above|entire|whole"
    rf"|previous)\b[^\n?]{{0,60}}\b{_OBJECT}\b"
    r"|\bsummari[sz]e (?:everything|all) (?:that (?:has )?(?:happened|been)|we|you|above|so far|said|discussed)",
    re.IGNORECASE,
    cues="summari|recap|condense|compact",
)
_FOR_A_CLIENT = lazy_pattern(
    r"### Task:|<chat_history>|<conversation_history>|title for (?:the|this|a) (?:chat|conversation)"
    r"|new conversation topic"
    r"|summary of (?:the|this|our) conversation|conversation so far|context checkpoint|handoff summary|context window"
    r"|did not use a tool in your previous response|\[SUGGESTION MODE|you are an autocomplete|fill in the middle"
    r"|<fim_|</?FILL_HERE|<\|fim",
    re.IGNORECASE,
    cues="### task:|_history>|title for |new conversation topic|summary of |so far|context checkpoint|handoff summary"
    "|context window|previous response|[suggestion mode|autocomplete|fill in the middle|fim|fill_here",
)  # fmt: skip
_LOCATES = lazy_pattern(
    r"\W{0,3}(?:where|which (?:file|function|class|method|module)|(?:why|how) (?:do|does|is|are|did|was|were))\b",
    re.IGNORECASE,
)
_COMMIT = lazy_pattern(
    rf"^\W{{0,3}}(?:please |can you |could you )?{_MAKE}\b.{{0,60}}\b(?:commit message|pr description"
    rf"|pull request (?:title|description)|changelog entry|branch name)\b",
    re.IGNORECASE,
    cues="commit message|pr description|pull request|changelog entry|branch name",
)
_LANGUAGE = (
    r"(?:english|german|french|spanish|portuguese|italian|dutch|polish|russian|japanese|chinese|mandarin"
    r"|korean|arabic|hindi|turkish|swedish|latin|greek|deutsch\w{0,2}|englisch\w{0,2}|französisch\w{0,2}"
    r"|spanisch\w{0,2}|inglés|francés|alemán|español|anglais|allemand|espagnol|français|inglês|alemão|francês"
    r"|espanhol|português)"
)
_TRANSLATE = lazy_pattern(
    rf"^\W{{0,3}}(?:please |can you |could you |bitte |por favor |kannst du |your (?:task|job) is to )?(?:translate"
    rf"|übersetz\w{{0,4}}"
    rf"|traduc\w{{0,5}}|traduz\w{{0,3}}|tradui\w{{0,4}})\b(?:.{{0,600}}?\b(?:in|into|to|ins|auf|al|en|para|a"
    rf"|o)\b.{{0,12}}\b{_LANGUAGE}\b|(?: (?:this|the|following|word|phrase|sentence|text|it)){{0,3}}"
    rf"\s{{0,2}}[:\"'“«「])"
    rf"|^\W{{0,3}}how (?:do|would|can) (?:you|i|we|one) say\b.{{0,200}}\b(?:in )?{_LANGUAGE}\b"
    rf"|^\W{{0,3}}wie sagt man\b|^.{{0,20}}(?:翻译成|翻譯成|翻訳して|に訳して|英訳|和訳|翻译一下)"
    r"|(?:翻译成|に翻訳|を翻訳)",
    re.IGNORECASE | re.DOTALL,
    cues="translate|traduc|traduz|tradui| say|wie sagt man",
)
_REWRITE = lazy_pattern(
    r"^\W{0,3}(?:please |can you |could you )?(?:summari[sz]e|rephrase|reword|paraphrase|proofread|shorten"
    r"|rewrite(?= (?:this|the following|my) (?:sentence|paragraph|e-?mail|mail|message|text|note|letter|bio|essay"
    r"|post))"
    r"|spell-?check|correct (?:the |my )?(?:grammar|spelling|english)"
    r"|fix (?:the |my )?(?:grammar|spelling|typos?)|make (?:this|it) (?:sound|more polite|shorter)"
    r"|improve (?:the )?wording|polish)\b.{0,80}?\b(?:this|following|below|text|email|e-mail|mail|message"
    r"|paragraph|sentence|grammar|spelling|english|typos?)\b",
    re.IGNORECASE | re.DOTALL,
    cues="this|following|below|text|mail|message|paragraph|sentence|grammar|spelling|english|typo",
)
_CREATIVE = lazy_pattern(
    r"\b(?:write|tell|compose|make|sing|give|schreib\w?|erzähl\w?|cuéntame|escribe|raconte|écris|conta"
    r"|escreva)\b.{0,30}\b(?:poem|haiku|limerick|joke|story|song|lyrics|sonnet|rap|riddle|cover letter"
    r"|love letter|birthday|essay|tweet|linkedin post|toast|speech|motivational quote|slogan|wedding|invitation"
    r"|(?:e-?mail|mail|letter|message|note) to (?:my|the|a|our) (?:boss|manager|colleague|landlord|teacher|professor"
    r"|friend"
    r"|mom|mother|dad|father|wife|husband|neighbou?r|recruiter|customer|client|team|hr)|gedicht|witz|chiste|poema|blague|poème|piada)\b",
    re.IGNORECASE,
    cues="write|tell|compose|make|sing|give|schreib|escribe|raconte|conta|escreva",
)
_EXPLAINED_TO = lazy_pattern(
    r"\bto (?:a|an|my) (?:\w{3,6}[- ]year[- ]old|child|kid|toddler|grandm\w{2,6}|grandpa)\b"
    r"|\b(?:idioms?|proverbs?|etymology|rhymes? with)\b"
    r"|\bnames? for (?:a|my|our) (?:\w{3,12} )?(?:dog|cat|puppy|kitten|baby|band|horse|retriever|daughter|son)\b",
    re.IGNORECASE,
    cues="to a|to my |idiom|proverb|etymology|rhyme|name",
)
_OWN_ANSWER = lazy_pattern(
    r"^\W{0,3}(?:please |can you |could you )?(?:rephrase|reword|repeat|shorten|summari[sz]e|translate|simplify)"
    r" (?:your|the|that) (?:(?:last|previous|above) )?(?:answer|reply|response|message|explanation)\b"
    r"|^\W{0,3}(?:please |can you |could you )?(?:remove|delete|drop|cut|omit|strip|shorten|reorder|reformat|format"
    r"|number)\b[^?\n]{0,80}\b(?:of|in|from) (?:your(?: (?:last|previous|first))?|(?:the|that) (?:last|previous))"
    r" (?:answer|reply|response|message|explanation)\W*$",
    re.IGNORECASE,
    cues="answer|reply|response|message|explanation",
)
_ABOUT_YOU = lazy_pattern(
    r"^\W{0,3}(?:who|what) are you\b|^\W{0,3}what(?:'s| is) your name\b|^\W{0,3}what can you do\b"
    r"|^\W{0,3}(?:are you (?:there|sure|real|human|a bot|an ai|ok|ready|chatgpt|claude|gpt))\b"
    r"|^\W{0,3}can you (?:hear|help|understand|see) me\W*$|^\W{0,3}(?:which|what) (?:model|llm"
    r"|version)(?: model)? (?:are you|is this)\b|^\W{0,3}how (?:are|old are) you\b"
    r"|^\W{0,3}(?:wer|was) bist du\b|^\W{0,3}¿?quién eres\b|^\W{0,3}qui es-tu\b|^\W{0,3}quem é você\b|あなたは誰|你是谁"
    r"|do you (?:like|love|speak|dream|feel|have feelings)\b",
    re.IGNORECASE,
    cues="you|is this|bist du|qui es-tu",
)
_WORLD = lazy_pattern(
    r"\bweather\b.{0,40}\b(?:in|today|tomorrow|like|forecast|outside)\b|\b(?:how|what)\b.{0,20}\bweather\b"
    r"|\bwetter\b|\bcapital (?:city )?of (?-i:[A-Z])|\b(?:president|prime minister|queen|chancellor) of\b"
    r"|\bwho (?:won|invented|discovered|painted|directed|is the ceo|was the first)\b|\bpopulation of (?-i:[A-Z])"
    r"|\bhow (?:tall|far|high) (?:is|was|are) (?:the )?(?-i:[A-Z])"
    r"|\b(?:recipes?|cook|bake|restaurants?|horoscope|world cup|olympics|workout|lottery)\b"
    r".{0,40}\b(?:for|with|recommend|tonight|won)\b"
    r"|\bwhat (?:time|day|date|year) is (?:it|today)\b|\b(?:bitcoin|gold) price\b|\b(?:meaning of life"
    r"|speed of light|boiling point)\b|\bhow many (?:people live|countries|planets|continents|calories)\b",
    re.IGNORECASE,
    cues=(
        "weather|wetter|capital|president|prime minister|queen|chancellor|who |population|how tall|how far"
        "|how high|recipe|cook|bake|restaurant|horoscope|world cup|olympics|workout|lottery|what time"
        "|what day|what date|what year|price|meaning of life|speed of light|boiling point|how many "
    ),
)
_WORLD_ABROAD = lazy_pattern(
    r"\bhauptstadt (?:von|der|des)\b|\bcapitale? (?:de|d[’']|du|del|della|dell[’']|da|do)(?:\b|(?=\w))"
    r"|\bwer hat\b[^?\n]{0,60}\b(?:erfunden|entdeckt|gewonnen|gemalt)\b"
    r"|\bqui a (?:inventé|découvert|gagné|peint)\b|\bquién (?:inventó|descubrió|ganó|pintó)\b"
    r"|\bquem (?:inventou|descobriu|ganhou|pintou)\b|\bwie viele (?:einwohner|menschen leben)\b"
    r"|\bcuántos habitantes\b|\bcombien d[’']habitants\b|\bwie spät ist es\b|\bqué hora es\b|\bquelle heure est-il\b"
    r"|\bqué tiempo hace\b|\bquel temps fait-il\b",
    re.IGNORECASE,
)
"""General knowledge in other languages than English."""
_WORLDLY = words_in(
    "weather wetter capital president minister queen chancellor population recipe recipes cook bake restaurant "
    "restaurants horoscope workout lottery calories price bitcoin"
)


def worldly_subjects(asking: str) -> tuple[str, ...]:
    """Return the words by which a question is taken to be of the world and of no code; a project may have one of them
    for its own subject.
    """
    found = _WORLD.search(asking[:400].lstrip())
    return tuple(word for word in words_of(found.group()) if word in _WORLDLY) if found is not None else ()


_ARITHMETIC = lazy_pattern(
    r"^(?:what(?:'s| is| are)|calculate|compute|was ist|cuánto es|combien font"
    r"|quanto é)?\s{0,3}[\d\s.,()+*/x×÷^%=-]{3,200}\??$",
    re.IGNORECASE,
)
_TONGUES = (
    r"(?:python|javascript|typescript|java|kotlin|swift|rust|go|golang|c|c\+\+|c#|ruby|php|perl|haskell"
    r"|scala|bash|shell|sql|html|css|regex|git|excel|linux|unix|ubuntu|debian|windows|macos|vim|emacs|docker"
    r"|kubernetes"
    r"|programming|computer science|general"
    r"|object[- ]oriented programming|oop|math\w*|statistics)"
)
_GENERAL = lazy_pattern(
    rf"^(?:what(?:'s| is| are)|explain|define|how (?:do|does|can|would|to)|when (?:should|do|would) i use"
    rf"|(?:show|give|write) (?:me )?(?:an? |some )?|is |should i "
    rf"|why (?:is|are|do|does)|difference between|can you explain|tell me)\b[^?\n]{{0,120}}\b(?:in|of"
    rf"|with|on|for) (?:plain |vanilla |modern |general )?{_TONGUES}(?: \d[\d.]{{0,6}})?\W*$"
    r"|^(?:what(?:'s| is)|what does) (?:a |an |the )?[\w /+#.-]{2,40}(?: stand for| mean in general)\W*$"
    r"|^(?:what is|what's) an? [a-z-]{3,20}(?: [a-z-]{3,20})? in (?:programming|computing|software|general)\W*$",
    re.IGNORECASE,
)
_CAMEL_TONGUES = lazy_pattern(r"\b(?:Java|Type)Script\b", cues="script")
_NOT_HERE = (
    r"(?![^?\n]*\b(?:hier|aquí|ici|aqui|unser|nuestr|notre|noss|diese|este|esta|dieser|cette?|projekt|proyecto|projet"
    r"|repo)\w{0,3}\b)"
)
_GENERAL_ABROAD = lazy_pattern(
    rf"^{_TONGUES}\s?[:–-] ?(?!(?:where|wo|dónde|où|onde)\b){_NOT_HERE}¿?"
    r"(?:was|wie|wann|warum|wozu|what|how|when|why|is|explain|difference|erkläre?|qué|cuál|cómo|cuándo|por qué|quelle?"
    r"|qu'|comment|quand|pourquoi|o que|qual|como|quando|por que)\b[^?\n]{0,120}\W*$"
    rf"|^¿?(?:was (?:ist|sind|bedeute\w{{1,2}}|macht)|wie|wann|warum|wozu|erkläre?|qué (?:es|son|significa)"
    r"|cuál(?:es)? (?:es|son)|cómo|cuándo|por qué|qu'est-ce|quelle? (?:est|sont)|comment|quand|pourquoi"
    rf"|o que (?:é|são)|qual (?:é|a)|como|quando|por que)\b{_NOT_HERE}[^?\n]{{0,120}}"
    rf"\b(?:in|en|em|bei|mit|con|avec|com|von|de) {_TONGUES}\W*$",
    re.IGNORECASE,
)
"""General knowledge of a language of programs, asked in another language than English or behind its name."""
_PERSONAL = lazy_pattern(r"\b(?:you|your|yourself|yours|du|dich|dir|tú|usted|tu|você)\b", re.IGNORECASE)
_OF_THE_CHAT = lazy_pattern(
    r"\b(?:i (?:just |already )?(?:ask(?:ed)?|said|say|wrote|write|told?)|my (?:first|last|previous|earlier) "
    r"(?:question|message|request)|you (?:just )?(?:said|say|told|wrote|answer(?:ed)?))\b",
    re.IGNORECASE,
)
_COMPARED = lazy_pattern(
    rf"^(?:is|are|should i (?:learn|use|choose|pick)|which is (?:better|faster)\W)\b.{{0,40}}\b{_TONGUES}\b"
    rf".{{0,40}}\b(?:than|or|vs\.?|versus) {_TONGUES}\b.{{0,30}}$",
    re.IGNORECASE,
    cues="than |or |vs|versus ",
)
_A_TERM = lazy_pattern(
    r"^(?:what(?:'s| is| are)?(?: an?)?|(?:can you |could you |please )?explain(?: to me)?(?: what)?|define"
    r"|(?:what are )?(?:the )?pros and cons of)(?: the (?:concept"
    r"|idea|principle|basics) of)? (?:recursion|dependency injection|functional programming"
    r"|object[- ]oriented programming"
    r"|design patterns?|race conditions?|deadlocks?|big o(?: notation)?|polymorphism|inheritance|encapsulation"
    r"|closures?|monads?|microservices|event sourcing|memoization|idempotenc[ey]|garbage collection"
    r"|continuous integration|test[- ]driven development|agile|scrum|machine learning|(?:deep|reinforcement) learning"
    r"|neural networks?|blockchain|cloud computing|kubernetes|docker|devops|an? api|a compiler|an operating system"
    r"|concurrency|parallelism|normali[sz]ation|acid|cap theorem|solid)"
    r"(?: (?:is|are|means))?(?: (?:to me )?(?:in (?:simple|plain|layman'?s?) (?:terms|words|english)|like i(?:'m"
    r"| am) (?:five|5)|briefly"
    r"|please))*\W*$",
    re.IGNORECASE,
    cues="what|explain|define|pros and cons of",
)
_WRITTEN_ANEW = lazy_pattern(
    r"^\W{0,3}(?:please |can you |could you )?(?:write|give|create|generate|make|show|need|build)(?: me)? (?:an? "
    r"|some |the )?"
    r"(?:\w{1,14} ){0,2}(?:regex|regexp|regular expression|cron(?:tab)? (?:expression|entry|job)|one[- ]liner"
    r"|(?:bash|shell|powershell|python|awk|sed) (?:script|one[- ]liner|command|function|program)|sql (?:query"
    r"|statement)"
    r"|excel formula|hello world|fizzbuzz|linux command)\b|^cron expression\b|\bthe (?:linux|unix|shell|git|bash"
    r"|terminal) command\b"
    r"|^what(?:'s| is) (?:the )?(?:linux|unix|shell|git|bash) command\b",
    re.IGNORECASE,
    cues="write|give|create|generate|make|show|need|build|cron expression|command",
)
_ROLE = lazy_pattern(
    r"(?:^\W{0,6}|[.\n] ?)(?:you (?:are|will be|have been|act) |act as |your (?:task|job|goal) is |given (?:the"
    r"|a) (?:following )?"
    r"(?:conversation|chat|dialogue|dialog|document|passage|text)|based on the (?:conversation|chat|following|above)"
    r"|# (?:user|human)\b|the user has requested|web page content)",
    re.IGNORECASE,
    cues="you |act as |your |given |based on the |# user|# human|the user has requested|web page content",
)
_SPOKEN_LINE = lazy_pattern(
    r"^\W{0,8}(?:user|human|assistant|ai|bot|claude|chatgpt|model|system|question|user question|user prompt"
    r"|follow up input"
    r"|chat history|message|command|output|input|text|retrieved document|user request|request)\b\W{0,6}(?::|$)",
    re.IGNORECASE | re.MULTILINE,
    cues=(
        "user|human|assistant|ai|bot|claude|chatgpt|model|system|question|follow up|chat history|message"
        "|command|output|input|text|document|request"
    ),
)
_FORM_ONLY = lazy_pattern(
    r"\b(?:only|nothing else|no (?:other|conversation|prose|preamble)|surrounding quotes|one per line"
    r"|without (?:any )?(?:preamble|quotes|explanation|punctuation)|no quotes"
    r"|do not (?:include|use|add|explain)|json|array of|(?:in|under|within|at most|than|max\w*"
    r"|to) \d{1,3}(?:-\d{1,3})? "
    r"(?:words?|char\w*|sentences?)|\d{1,2}-\d{1,2}[- ]words?|words or less|yes' or 'no|short(?:ly)?|concise|brief\w*"
    r"|one-sentence|strictly)\b",
    re.IGNORECASE,
    cues=(
        "only|nothing else|no |surrounding quotes|one per line|without |do not |json|array of|word|char"
        "|sentence|yes' or 'no|short|concise|brief|strictly"
    ),
)
_WHOLE_OUTPUT = lazy_pattern(
    r"\b(?:output|return|reply with|respond with|answer with|provide|write|apply)\b[^\n?]{0,60}\b(?:only|whole"
    r"|nothing else|edit)\b"
    r"|\bonly (?:output|return|reply|respond|answer)\b",
    re.IGNORECASE,
    cues="only|whole|nothing else|edit",
)
_ARTEFACT = (
    r"(?:titles?|headline|topic|label|emojis?|tags?|keywords|follow-?ups?|questions?|suggestions?|commit messages?"
    r"|branch(?: name|es)?|pull request|change ?log|release notes|summar(?:y|ies)|recap|hand-?off|quer(?:y|ies)|facts"
    r"|memor(?:y|ies)|file ?paths?|prefix|score|completions?|description|names?|prompt|response|relevance)"
)
_MADE = (
    rf"(?:{_MAKE}|name|summari[sz]e|rephrase|rewrite|turn|condense|compact|grade|assess\w*|synthesi[sz]e|reflect"
    rf"|generat\w+"
    r"|complet\w+|enhance)"
)
_JOB = lazy_pattern(
    rf"\b{_MADE}\b[^\n?]{{0,120}}?\b{_ARTEFACT}\b|\b{_ARTEFACT} (?:generator|writer|engine|assistant)\b",
    re.IGNORECASE,
    cues=(
        _MAKE_CUES
        + "|name|rephrase|rewrite|turn|condense|compact|grade|assess|synthesi|reflect|generat|complet|enhance| writer"
        "| engine| assistant"
    ),
)
_SYSTEM_JOB = lazy_pattern(
    rf"(?:^|[.:\n]\s{{0,3}}|\b(?:to|that|you|and|will)\s)(?:only |\*?\w{{2,12}}ly\*? |\*)?(?:{_MADE}|writes?"
    rf"|generates?|names?|summari[sz]es?)\b\*?"
    r"[^\n?]{0,80}?\b(?:titles?|topic|label|tags|commit messages?|branch(?:es| names?)|pull request|change ?log"
    r"|release notes"
    r"|summar(?:y|ies)|conversation|file ?paths?|missing code|search quer(?:y|ies))\b"
    r"|\b(?:title|summary|commit message|code completion|autocomplet\w+|tag|query) (?:generator|engine|writer"
    r"|assistant)\b"
    r"|(?:标题|摘要|タイトル|要約)",
    re.IGNORECASE,
)
_SYSTEM_ROLE = lazy_pattern(
    r"\b(?:you(?:'re| are)|act as|be|as|play) (?:an? |the |my )?"
    r"(?:(?!on |for |of |at |in |to |our |the |working |who )[\w-]{1,24} ){0,4}?(?:\w{2,20}-)?"
    r"(?:translators?|interpreter between|translation (?:engine|tool|service|bot|machine|model|assistant)"
    r"|proof-?readers?|copy ?editors?|(?:grammar|spell(?:ing)?) (?:checker|corrector|bot|assistant)"
    r"|paraphraser|paraphrasing (?:tool|bot|assistant)|transcriber)"
    r"(?=\s*(?:$|[.,;:!\n]|(?:who|that|which|from|between|and|with|speciali[sz]\w+|into?|to)\b))"
    r"|(?:^|[.:!\n]\s{0,3}|\byou (?:only |always |will |must |should )?|\bto )"
    r"(?:translates?|proof-?reads?|paraphrases?)\b"
    r"(?! (?:errors?|sql|code|queries|requirements|ideas|designs?|it in(?:to)? (?:code|python|sql))\b)",
    re.IGNORECASE,
)
SYSTEM_READ, SYSTEM_LONGEST = 500, 1_200
_STRANGE_JOB = lazy_pattern(
    r"(?:总结|概括|返回).{0,40}(?:标题|主题|对话|会话)|(?:标题|主题).{0,30}(?:总结|返回)|タイトルを|会話を要約|(?:对话|会话)内容"
)

_TERM = rf"(?:[A-Z]{{2,6}}|(?i:{_TONGUES}))"
_NOTION = (
    r"(?:an? )?(?:process|thread|coroutine|fiber|mutex|semaphore|lock|stack|heap|queue|array|linked list|list|tuple|set"
    r"|dict(?:ionary)?|hash ?map|map|class|object|instance|interface|abstract class|struct|union|pointer|reference"
    r"|compiler|interpreter|library|framework|concurrency|parallelism|multi-?threading|multi-?processing|inheritance"
    r"|composition|overloading|overriding|authentication|authorization|encryption|hashing|encoding|unit test"
    r"|integration test|container|virtual machine|monolith|microservice|statement|expression|argument|parameter"
    r"|merge|rebase|fetch|pull|fork|clone|branch|tag)(?:e?s)?"
)
_DIFFERENCE = lazy_pattern(
    rf"^(?i:what(?:'s| is| are)|explain|tell me)\b[^?\n]{{0,20}}\b(?i:differences? between) (?:{_TERM}|(?i:{_NOTION}))"
    rf" and (?:{_TERM}|(?i:{_NOTION}))\W*$",
    cues="difference",
)
_HERE = lazy_pattern(
    r"\b(?:this|our|the|my|your) (?:repo\w*|project|codebase|code|workspace|folder|app\w*|package|library|module"
    r"|file|class|function|test\w*|docs?)\b|\bhere\b|[`_/]|[A-Za-z_]\.[A-Za-z_]|[a-z][A-Z]|\(\)|\bwe\b",
)
OF_THE_PROJECT = lazy_pattern(
    f"{ASKS_TO_SET_UP}|{ASKS_TO_TEST}|{ASKS_TO_RELEASE}|{ASKS_WHO_WROTE}",
    re.IGNORECASE,
    cues=f"{HOW_TO_CUES}|test|spec|install|set|build|compil|who|{RELEASE_CUES}",
)
_AGENT = lazy_pattern(
    r"^\W{0,3}(?:apply|merge|insert|output only|return only|edit) (?:the |this |these |only )?(?:following"
    r"|update|edit|change|patch|snippet|diff|below)",
    re.IGNORECASE,
)


def system_asks(system: str) -> str:
    """Return why a chat under this system prompt needs nothing of a workspace, as a clause; empty where it may.

    Only a short prompt is one job: that of an agent speaks of titles and summaries among much else.
    """
    if len(system) > SYSTEM_LONGEST or is_of_an_assistant(system):
        return ""
    head = system[:SYSTEM_READ]
    if _SYSTEM_JOB.search(head) or _SYSTEM_ROLE.search(head) or is_narrow_job(system):
        return "the client asks for its own purpose: its system prompt says so"
    return ""


def around_asks(text: str, own: str) -> str:
    """Return why a message needs nothing of a workspace by the order around what a client encloses as the user's own
    words, as a clause; empty where nothing around it is one.
    """
    around = text.replace(own, " ", 1) if len(own) < len(text) <= ORDER_AROUND + len(own) else ""
    if is_order_about_text(f"{around}\n\nText: {own[:80]}"):
        return "the client asks for its own purpose: a text about what the message carries"
    return ""


ORDER_AROUND = 1_500
LONGEST_COMPLAINT = 16


def names_nothing(text: str) -> bool:
    """Return whether a message only complains, or asks for help, and says nothing of what it is about."""
    words = words_of(text[:400])
    known = COMPLAINTS | SOCIAL_WORDS | STOP_WORDS
    if _GO_OR_MAKE.search(text[:400]) or asks_of_a_release(text[:400]) or OF_THE_PROJECT.search(text[:400]):
        return False
    return 0 < len(words) <= LONGEST_COMPLAINT and known.issuperset(words) and not COMPLAINTS.isdisjoint(words)


# In brackets only the notices that clients are known to write: a log level or a program's name is what a person pasted.
_STEP_HEAD = lazy_pattern(
    r"^\W{0,3}(?:observation|tool (?:result|output|response)|exit code|command (?:executed|output)|stdout|stderr"
    r"|result)"
    r"\b.{0,40}?[:\n]"
    r"|^\[(?=[^\]\n]{0,80}(?:interrupt|resum|cancel))(?:the )?(?:request|task|tool|turn|response|reply|user|agent"
    r"|assistant|session|conversation|operation|generation|command)s?\b[^\]\n]{2,160}\]"
    r"|^\[system(?::| (?:message|notice|notification|note|reminder|info)\b)[^\]\n]{0,160}\]|^\$ \S"
    r"|^the user (?:has )?(?:approved|denied|rejected|accepted"
    r"|cancelled)\b"
    r"|^the (?:file|content|command|tool|edit|change|operation|patch)s? (?:was|were|has been|have been) \w"
    r"|^# \w+_\w+ [A-Z]{4}"
    r"|^another (?:language )?model (?:started|has)\b",
    re.IGNORECASE,
    cues="observation|tool |exit code|command |stdout|stderr|result|[|$ |the user |the |# |another ",
)
_STEP_SAID = lazy_pattern(
    r"^\W{0,3}(?:i (?:ran|executed) (?:this|the following) command|i added these files to the chat|i did `?git "
    r"|i committed"
    r" the changes with git"
    r"|(?:the user|user) (?:has )?(?:interrupted|aborted|declined|skipped|stopped)"
    r"|(?:the |your )?(?:(?:previous|last) )?(?:tool(?: call| use| execution)?|response|reply|output|turn)s? (?:was"
    r"|were|has"
    r"|had|is|contained|did|timed|failed)\b.{0,40}?\b(?:cut off|truncated|empty|incomplete|interrupted|blocked|invalid"
    r"|failed|rejected|denied|cancelled|out|no tool|not contain|not use|too long|because)\b"
    r"|you (?:have )?(?:exceeded|reached|hit|not (?:used|called)|did not (?:use|call)))",
    re.IGNORECASE,
    cues="i ran |i executed |i added |i did |i committed|user |tool|response|reply|output|turn|you ",
)
_SAID_SO_FAR = lazy_pattern(
    r"\b(?:tl;?dr|summari[sz]e|condense|compress|recap|write down|sum up|wrap up|hand over)\b[^\n?]{0,140}"
    r"\b(?:chat|conversation|session|discussed|discussion|said|told|until now|till now|so far|is left|take over"
    r"|messages)\b"
    r"|\bcontinue\b.{0,40}\b(?:conversation|where (?:we|you|i|it)|the last task)\b",
    re.IGNORECASE,
    cues="dr|summari|condense|compress|recap|write down|sum up|wrap up|hand over|continue",
)
_SAID_NEXT = lazy_pattern(
    r"\b(?:the user|i)\b.{0,40}\b(?:ask|know|want|say|type|do)\b.{0,30}\bnext\b(?! to\b)|\bpredict the next\b"
    r"|\bnext (?:questions|prompts|messages?) (?:of|for|from) the user\b",
    re.IGNORECASE,
    cues="next",
)
_OF_THE_DIFF = lazy_pattern(
    r"\bcommit(?:s| messages?)?\b|\b(?:pull|merge) request\b|\bPR\b|\bchange ?log\b|\brelease notes?\b"
    r"|\b(?:describe|summari[sz]e|summary|description)\b",
    re.IGNORECASE,
)
_OF_THE_CODE = lazy_pattern(
    r"^\W{0,3}(?:please |can you |could you )?(?:optimi[sz]e|document|comment|rewrite|reformat|format|simplify"
    r"|convert|port"
    r"|translate|complete|clean up|write (?:\w+ ){0,2}(?:docstrings?|comments?|documentation|types?) for"
    r"|add (?:\w+ ){0,2}(?:docstrings?|comments?|type hints?|types|logging) to)\b.{0,60}"
    r"\b(?:this|the (?:following|above|selected)|following|selected|above|below) ?(?:code|function|snippet|class"
    r"|method|selection)?\b",
    re.IGNORECASE,
)
_PAYLOAD = lazy_pattern(
    r"\b(?:this|these|the|following|user'?s?|user’s|below|above|dictated|previous)(?: \w+)? (?:messages?|texts?"
    r"|query|queries"
    r"|passages?|documents?|notes|prompt|task|session|chat|input|request|transcript|question (?:below|above))\b",
    re.IGNORECASE,
)
_ORDERS = words_in(
    """classify detect rank rate grade score label decide fix correct translate name call rewrite rephrase turn
    convert extract summarize summarise condense identify judge choose pick select tag sort group write generate
    create suggest is does what determine check clean punctuate transcribe normalize expand shorten reply return
    respond answer output give"""
)
_ANSWER_FORM = lazy_pattern(
    r"\b(?:only|nothing else|just the|json|label|alone|one word|yes or no|safe or unsafe|iso code|numbers? only)\b"
    r"|\bat most \w{1,6} words\b|\bdo not (?:mention|answer|explain|add)\b",
    re.IGNORECASE,
)


def _works_on_payload(text: str) -> bool:
    """Is the message an order with its own material behind it, and the exact form of the answer?"""
    head = text[:HEAD]
    order, mark, rest = head.partition("\n\n") if "\n\n" in head else head.partition(": ")
    words = words_of(order[:80])
    if not (mark and len(words_of(rest)) > 2 and words and words[0] in _ORDERS):
        return False
    is_exact = _ANSWER_FORM.search(head) or re.search(_META, order, re.IGNORECASE)
    return bool(_PAYLOAD.search(order) and is_exact) and not means_here(order)


def _is_a_diffs_text(text: str, asking: str) -> bool:
    return "\n@@ " in text and bool(_OF_THE_DIFF.search(asking[:400])) and len(words_of(asking)) <= 60


JOB_OPENS = 40
_MATERIAL = lazy_pattern(
    r'"""|```|<\w[\w-]{1,30}>|^---|^#{1,4} |(?:^- .{1,200}\n){2}|\b(?:these|following|below|above)\b', re.M | re.I
)


def _is_client_job(text: str, head: str, tail: str) -> bool:
    """Is the message a job that a program wrote: an order to make a text, with what it works on or its exact form?"""
    if _STRANGE_JOB.search(head) or _STRANGE_JOB.search(tail):
        return True
    forms = len({found.group().lower() for part in (head, tail) for found in _FORM_ONLY.finditer(part)})
    spoken = len(_SPOKEN_LINE.findall(text[: 4 * HEAD]))
    plays = _ROLE.search(head[:200]) is not None
    for part in (head, tail):
        job = _JOB.search(part)
        if job is None or _is_question(part, job.start()):
            continue
        carries = _MATERIAL.search(part) is not None
        is_form = carries and (forms > 1 or (forms == 1 and job.start() < JOB_OPENS))
        is_here = means_here(part[: job.end() + JOB_OPENS])
        if (plays and (spoken or forms > 1 or carries)) or spoken > 1 or (is_form and not is_here):
            return True
    return False


def means_here(text: str) -> bool:
    """Does the text say that it means this workspace: by a word for it, or by a name as only code has it?"""
    return _HERE.search(text) is not None


DIGITS_OF_A_CODE = 3


def _is_social(typed: Sequence[str]) -> bool:
    """Are these only words of small talk, with none that asks for work? A number as long as a status code names
    something.
    """
    words = [word.partition("'")[0] for word in typed if not (word.isdigit() and len(word) < DIGITS_OF_A_CODE)]
    if not words or any(word in _WORK for word in typed):
        return False
    if not all(word in _SOCIAL or word.removesuffix("s") in _SOCIAL or _plain(word) in _SOCIAL for word in words):
        return False
    said = " ".join(typed)
    first = next((word for word in words if word not in CONTINUATIONS), words[0])
    return first not in INTERROGATIVES or bool(_PERSONAL.search(said) or _OF_THE_CHAT.search(said))


def _is_praise(words: Sequence[str]) -> bool:
    """Do the words only say that the user likes, or does not like, this project or a part of it?"""
    if not words or words[0] in INTERROGATIVES or not _WISHES.isdisjoint(words):
        return False
    feels = words[0] in {"i", "we"} and not _FEELINGS.isdisjoint(words[1:4])
    is_said = feels or not _PRAISES.isdisjoint(words)
    return is_said and (_SOCIAL | OF_WORKSPACE | _FEELINGS | _PRAISES).issuperset(words)


_FEELINGS = words_in("love loved adore adored like liked enjoy enjoyed appreciate admire hate hated")
_PRAISES = words_in(
    """great awesome cool nice amazing wonderful excellent impressive beautiful fantastic brilliant lovely neat elegant
    gorgeous incredible superb fun"""
)
_WISHES = words_in("would i'd we'd want need to")


def _plain(word: str) -> str:
    """Return the word without drawn-out letters: ``heyyy`` is ``hey``."""
    return _DRAWN_OUT.sub(r"\1", word)


_DRAWN_OUT = lazy_pattern(r"(\w)\1{1,20}(?=\W|$)")
_SOCIAL = SOCIAL_WORDS | STOP_WORDS | {"did", "don", "trick", "there", "hi", "hey", "hello", "ciao", "bye", "nvm"}


_WORK = frozenset(BARE_VERBS - SOCIAL_WORDS) | {"change", "fix", "show", "explain", "why", "warum", "wrong"}


_GO_OR_MAKE = lazy_pattern(
    r"\b(?:go|make) (?:versions?|toolchain|modules?|releases?|targets?)\b|\bversions? of (?:go|make)\b",
    re.IGNORECASE,
    cues="go|make",
)
"""The programs, whose names are verbs of small talk and of an agent's steps too."""


def _is_step(words: Sequence[str]) -> bool:
    known = SOCIAL_WORDS | STOP_WORDS | STEP_WORDS | STEP_VERBS
    return bool(STEP_VERBS.intersection(words)) and known.issuperset(words)


def _locates(text: str) -> bool:
    """Does a short message of one line ask where something is, or why it is so? No client asks itself that."""
    return len(text) <= 300 and "\n" not in text.strip() and _LOCATES.match(text) is not None


def needs_nothing(text: str, asking: str, *, has_paste: bool, has_places: bool) -> str:
    """Return why a message needs nothing of a workspace, as a clause; empty where it may.

    ``text`` is the whole message, ``asking`` the part of it that asks.
    """
    if not any(character.isalnum() for character in text[:HEAD]):
        return "the message has no words"
    if _STEP_HEAD.match(text) or (not has_places and "?" not in text[:HEAD] and _STEP_SAID.match(text)):
        return "the message is a step of an agent's own loop"
    words = words_of(text[:400])
    names_code = has_paste or has_places or AS_CODE.search(text[:400]) or _GO_OR_MAKE.search(text[:400])
    if not names_code and len(words) <= 40:
        if _is_social(words) or _is_social(words_of(asking[:400])):
            return "the message is small talk"
        if "?" not in text[:HEAD] and _is_praise(words):
            return "the message is small talk"
        if _is_step(words):
            return "the message is a step of an agent's own loop"
    head, tail = text[:HEAD], text[-TAIL:] if len(text) > HEAD else ""
    if (_FOR_A_CLIENT.search(head) or _FOR_A_CLIENT.search(tail)) and not _locates(text):
        return "the client asks for its own purpose: a title, a summary, follow-ups"
    opening = asking[:400].lstrip()
    if _COMMIT.match(opening):
        return "the message asks for a text about changes that it carries"
    if not has_places:
        for part in (head, tail):
            match = _CLIENT.search(part) or _CLIENT_OF.search(part)
            if match is not None and not _is_question(part, match.start()):
                return "the client asks for its own purpose: a title, a summary, follow-ups"
    if is_of_the_client(text):
        return "the message is for the client, or for the model alone"
    if not has_places and (_is_client_job(text, head, tail) or is_order_about_text(text)):
        return "the client asks for its own purpose: a text about what the message carries"
    said = text[:400]
    if _SAID_NEXT.search(opening) or (_SAID_SO_FAR.search(said) and not any(mark in said for mark in "`_/()")):
        return "the message is about the chat itself"
    if _works_on_payload(text) or _is_a_diffs_text(text, asking):
        return "the message carries the text that it is about"
    if has_paste and not has_places and _OF_THE_CODE.search(opening):
        return "the step carries its own material"
    if has_paste and not has_places and (_WHOLE_OUTPUT.search(head) or _WHOLE_OUTPUT.search(tail)):
        return "the step carries its own material"
    if _OWN_ANSWER.search(opening):
        return "the message is about the answer before it"
    if _TRANSLATE.search(opening):
        return "the message asks for a translation"
    if _REWRITE.search(opening) and not _HERE.search(opening):
        return "the message carries the text that it is about"
    if has_paste and _AGENT.search(opening):
        return "the step carries its own material"
    if has_places or _HERE.search(_CAMEL_TONGUES.sub(" ", asking[:400])) or OF_THE_PROJECT.search(opening):
        return ""
    if any(pattern.search(opening) for pattern in (_CREATIVE, _ABOUT_YOU, _WORLD, _WORLD_ABROAD, _EXPLAINED_TO)):
        return "the message is about no code"
    general = (_ARITHMETIC, _GENERAL, _GENERAL_ABROAD, _DIFFERENCE, _COMPARED, _A_TERM, _WRITTEN_ANEW)
    if not has_paste and words_of(opening) and any(pattern.search(opening) for pattern in general):
        return "the message asks for general knowledge"
    return ""


def _is_question(text: str, at: int) -> bool:
    """Is the imperative at ``at`` quoted, or inside a question about such things, as ``where do we generate …``?"""
    if text.count('"', 0, at) % 2:
        return True
    words = words_of(text[max(0, at - 60) : at].rpartition("\n")[2].rpartition(". ")[2])
    asks = {"where", "how", "which", "who", "when", "why", "what", "wo", "wie"}
    return any(word in asks for word in words) or words[:1] in (["does"], ["do"], ["is"])
