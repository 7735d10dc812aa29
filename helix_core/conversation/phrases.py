"""Word lists of the parts of a message: greetings, thanks, acknowledgements, style, products, general knowledge.

English, German, Spanish, French, Portuguese, Japanese and Chinese. A list says how people open and close a message,
never what one project contains.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from helix_core.words import WEEKDAYS, words_in


class Phrases:
    """A set of phrases of one or more words, all lower case."""

    def __init__(self, *lines: str) -> None:
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for phrase in "|".join(lines).split("|"):
            if words := tuple(phrase.split()):
                self._by_first.setdefault(words[0], []).append(words)
        for phrases in self._by_first.values():
            phrases.sort(key=len, reverse=True)

    def length_at(self, words: Sequence[str], at: int = 0) -> int:
        """Return how many words the longest phrase that begins at word ``at`` has; 0 where none does."""
        if at >= len(words):
            return 0
        for phrase in self._by_first.get(words[at], ()):
            if tuple(words[at : at + len(phrase)]) == phrase:
                return len(phrase)
        return 0

    def may_be_in(self, words: Sequence[str]) -> bool:
        """Return whether some phrase's first word is among the words."""
        return not self._by_first.keys().isdisjoint(words)

    def covers(self, words: Sequence[str], besides: Iterable[str] = ()) -> bool:
        """Return whether the words are only phrases of this set, at least one, and words of ``besides``."""
        others = besides if isinstance(besides, frozenset) else frozenset(besides)
        at = found = 0
        while at < len(words):
            length = self.length_at(words, at)
            if not length and words[at] not in others:
                return False
            found += bool(length)
            at += length or 1
        return found > 0


GREETINGS = Phrases(
    "hi|hello|hey|hiya|howdy|yo|greetings|good morning|good afternoon|good evening|good day|morning|evening|dear",
    "hi there|hello there|hey there|hi again|hello again|hope you are well|hope you're well|how are you",
    "how are you doing|sup|how's it going|how is it going|how do you do|nice to meet you|welcome back|what's up",
    "whats up|good night|bye|goodbye|see you|see you later|see ya|have a nice day|have a good day",
    "have a great day|have a good weekend|have a nice weekend|hallo|guten tag|guten morgen|guten abend|moin",
    "servus|grüß gott|grüezi|liebe|lieber|wie geht's|wie geht es dir|tschüss|hola|buenos días|buenos dias",
    "buenas tardes|buenas noches|buenas|estimado|estimada|qué tal|que tal|cómo estás|adiós|bonjour|bonsoir|salut",
    "coucou|cher|chère|ça va|comment ça va|comment vas-tu|au revoir|bonne journée|olá|ola|oi|bom dia|boa tarde",
    "boa noite|prezado|prezada|caro|cara|tudo bem|como vai|tchau",
)
THANKS = Phrases(
    "thanks|thank you|thx|thanx|tnx|tysm|ty|cheers|many thanks|much appreciated|appreciate it|i appreciate it|ta",
    "appreciated|i really appreciate it|thanks in advance|thank you in advance|kudos|any help is appreciated|tia",
    "any help would be appreciated|any help is welcome|danke|danke schön|dankeschön|vielen dank|besten dank",
    "herzlichen dank|tausend dank|danke sehr|merci|danke dir|danke im voraus|gracias|muchas gracias|mil gracias",
    "muchísimas gracias|gracias de antemano|te lo agradezco|merci beaucoup|merci bien|mille mercis|merci d'avance",
    "merci par avance|je vous remercie|je te remercie|obrigado|obrigada|muito obrigado|muito obrigada|valeu",
    "agradeço|desde já agradeço|grazie|grazie mille|grazie tante|bedankt|dank je|dank je wel|dank u|tack så mycket",
    "tusen takk|mange tak|kiitos|dziękuję|dziękuję bardzo|dzięki|děkuji|díky|hvala|mulțumesc|köszönöm|ευχαριστώ",
    "teşekkürler|teşekkür ederim|sağ ol|terima kasih|cảm ơn|спасибо|спасибо большое|большое спасибо|благодарю",
    "спасибо огромное|дякую|감사합니다|감사해요|고맙습니다|고마워요|고마워|شكرا|شكرا جزيلا|תודה|תודה רבה",
)
THANKS_FILLER = words_in(
    """and und y et e
    a lot so much very in advance again for your the help that this it all kindly really ever mate man buddy guys
    everyone team million bunch ton you time support answer answers explanation quick clear im voraus für die
    hilfe deine ihre antwort schon mal por la ayuda tu su todo de antemano pour votre ton aide ta réponse avance
    pela ajuda sua"""
)
CLOSINGS = Phrases(
    "best regards|kind regards|warm regards|regards|best|br|kr|sincerely|yours|yours sincerely|yours truly|cheers",
    "all the best|sent from my iphone|sent from my phone|sent from my android|sent from outlook|viele grüße",
    "mit freundlichen grüßen|freundliche grüße|liebe grüße|beste grüße|gruß|grüße|mfg|lg|vg|saludos|un saludo",
    "saludos cordiales|atentamente|un abrazo|cordialement|bien cordialement|bien à vous|salutations|amicalement",
    "à bientôt|atenciosamente|cumprimentos|um abraço|abraços|abs",
)
ACKNOWLEDGEMENTS = Phrases(
    "that's it|that is it|that is all|leave it|leave it as it is|see you tomorrow|you're the best",
    "you are the best|you rock|noted|gotcha|np|brb|whatever|same here|found it|i found it|figured it out",
    "i figured it out|wrong window|wrong chat|wrong tab|wrong channel|not for you|that was not for you|disregard",
    "disregard that|ignore that|scratch that|das reicht|das reicht mir|reicht|hat sich erledigt|erledigt",
    "you're awesome|you're amazing|eso es todo|c'est tout|das war's|das wars|é tudo|é só isso|not now|maybe later",
    "ok|okay|k|kk|yes|yep|yeah|yup|no|nope|nah|sure|sure thing|great|cool|nice|perfect|awesome|excellent",
    "wonderful|amazing|got it|i see|i understand|understood|makes sense|that makes sense|sounds good|lgtm",
    "looks good|looks good to me|good|right|correct|exactly|agreed|fair enough|never mind|nevermind|forget it",
    "no problem|no worries|all good|well done|good job|nice work|great work|good work|that worked|it worked",
    "that works|it works|works now|it works now|that helps|that helped|very helpful|helpful|interesting",
    "good to know|continue|go on|go ahead|please continue|proceed|do it|go for it|next|keep going|carry on|stop",
    "wait|done|yes please|no thanks|no thank you|you're welcome|lol|haha|hmm|wow|oh|ah|oops|sorry|my bad|test",
    "testing|ping|one moment|i'm back|let me try|i'll try|let me check|try again|retry|again|undo|undo that",
    "that's all|ja|nein|genau|super|toll|klasse|prima|gut|alles klar|verstanden|passt|weiter|mach weiter|stimmt",
    "richtig|in ordnung|danke nein|sí|si|vale|claro|perfecto|genial|entendido|de acuerdo|bien|muy bien|continúa",
    "sigue|adelante|oui|non|d'accord|parfait|compris|très bien|bien sûr|super merci|entendu|ça marche|vas-y|sim",
    "não|certo|perfeito|ótimo|entendi|beleza|pode continuar|tá bom|está bem|va bene|perfetto|capito|ho capito",
    "dobrze|rozumiem|tamam|anladım|да|нет|хорошо|понятно|ясно|отлично|супер|ок|окей|네|예|아니요|알겠습니다|좋아요",
    "좋습니다|hilfreich|hat geholfen|das hat geholfen|klappt|hat geklappt|funktioniert|läuft|wunderbar|perfekt|spitze",
    "útil|funciona|funcionó|de gran ayuda|me sirvió|excelente|estupendo|utile|ça fonctionne|super utile",
)
ACK_FILLER = words_in(
    """it that this is was very so then now please all really thanks thank you just to me i see oh well and a lot
    das war ist es echt sehr wirklich jetzt mir eso fue muy es ya ahora c'était c'est très"""
)
VOCATIVES = words_in(
    """there all everyone everybody team folks guys friend friends mate buddy sir madam assistant bot ai dear again
    claude chatgpt gpt copilot gemini helix codex cline llama mistral qwen deepseek cursor bard grok zusammen
    leute miteinander alle equipo amigos à tous toutes tous equipe pessoal gente"""
)
# East Asian text has no spaces: these are taken off the ends of a sentence as they are.
WIDE_OPENINGS = (
    "こんにちは", "こんばんは", "おはようございます", "おはよう", "お疲れ様です", "お疲れさまです",
    "お世話になっております",
    "はじめまして", "すみません", "あのう", "やあ",
    "你好", "您好", "嗨", "大家好", "早上好", "下午好", "晚上好", "请问一下", "请问", "麻烦", "打扰一下", "不好意思",
)  # fmt: skip
WIDE_CLOSINGS = (
    "ありがとうございました", "ありがとうございます", "ありがとう", "よろしくお願いいたします", "よろしくお願いします",
    "宜しくお願いします", "宜しくお願い致します", "よろしく", "助かります", "どうも", "お願いします", "感謝します",
    "非常感谢", "多谢", "谢谢你", "谢谢您", "谢谢", "感谢", "辛苦了", "麻烦了", "拜托了", "先谢过了", "十分感谢",
)  # fmt: skip
WIDE_ACKNOWLEDGEMENTS = words_in(
    """はい いいえ 了解です 了解 了解しました わかりました 分かりました なるほど いいね
    完璧 続けて 続けてください オッケー 大丈夫です さようなら 好的 好 好吧
    是 是的 对 不 不是 不用 明白 明白了 知道了
    收到 可以 没问题 继续 请继续 很好 太好了 完美 再见
    行 嗯"""
)
STYLE_WORDS = words_in(
    """concise brief briefly short shortly succinct terse detailed detail details thorough thoroughly verbose bullet
    bullets point points list lists markdown table tables json yaml plain text prose sentence sentences word words
    paragraph paragraphs lines max maximum minimum min most least under limit limited answer answers reply respond
    response explain explanation explanations step steps simple simply terms eli5 tldr tl dr emoji emojis tone
    formal informal friendly professional english german french spanish portuguese japanese chinese italian
    language code only snippet snippets comments format formatted formatting headings heading think carefully deep
    hard examples example expert senior beginner friendly like five year old keep be use using write give make
    show don't avoid no without please just and or in with to of the a an your it than more less as for at by not
    do one two three four five ten 5-year-old my me i'm polite kurz knapp bitte auf deutsch englisch stichpunkten
    stichpunkte antworte antworten sätze sätzen wörter schritt für fasse dich ausführlich maximal höchstens breve
    brevemente responde en español inglés conciso concisa por favor palabras máximo lista puntos réponds réponse
    français anglais bref concis s'il te vous plaît plait mots phrases points seja em português inglês responda
    resumida curto curta palavras tópicos"""
)
STYLE_CORE = words_in(
    """concise brief briefly short shortly succinct terse detailed thorough thoroughly verbose bullet bullets
    markdown table sentence sentences words paragraph paragraphs step steps eli5 tldr emoji emojis tone formal
    informal friendly professional english german french spanish portuguese japanese chinese italian format
    formatting headings snippet explanations explanation carefully simple kurz knapp deutsch englisch stichpunkten
    stichpunkte sätze sätzen wörter ausführlich breve brevemente español inglés conciso concisa palabras bref
    concis français anglais mots português resumida curto curta palavras tópicos plain json yaml"""
)
# Systems, editors, browsers and machines: where a user works, hardly ever what a repository is asked about.
ENVIRONMENTS = Phrases(
    "ubuntu|debian|fedora|arch|arch linux|manjaro|centos|rhel|alpine|opensuse|nixos|linux mint|mint|kali|linux",
    "macos|mac os|osx|os x|mac|macbook|macbook pro|m1|m2|m3|m4|apple silicon|windows|windows 10|windows 11|wsl",
    "wsl2|raspberry pi|chromebook|sonoma|ventura|monterey|sequoia|big sur|catalina|freebsd|pycharm|intellij",
    "intellij idea|webstorm|goland|clion|rider|phpstorm|rubymine|vs code|vscode|visual studio code|visual studio",
    "vim|neovim|nvim|emacs|sublime|sublime text|atom|eclipse|xcode|android studio|zed|jetbrains|notepad++|cursor",
    "chrome|firefox|safari|edge|brave|iterm|iterm2|zsh|fish|powershell|tmux|conda|anaconda|miniconda|pyenv",
    "homebrew|brew|nvm|github codespaces|codespaces|gitpod|devcontainer|dev container|colab|google colab",
    "jupyter lab|jupyterlab",
)
ENVIRONMENT_OPENERS = Phrases(
    "i'm on|i am on|i'm using|i am using|i use|we use|we're on|we are on|we're using|we are using|using|running",
    "i run|we run|i'm running|i am running|my setup is|my setup|setup|environment|env|my environment|os|platform",
    "on|my os|my machine|version|versions|my system|system|i work on|i work with|i'm working on|i am working on",
    "i'm working with|working on|tested on|under|ich nutze|ich benutze|ich verwende|ich arbeite mit",
    "ich arbeite auf|ich bin auf|uso|utilizo|estoy en|estoy usando|j'utilise|je suis sur|je travaille sur|eu uso",
    "estou usando|estou no|uso o",
)
ENVIRONMENT_JOINERS = words_in("""on in with using under and at & the a an via my from inside version latest lts pro""")
INTERJECTIONS = words_in("""lol lmao rofl haha hahaha hehe xd tbh ngl imo imho smh fr rn asap pls plz pliz""")
"""What people type around a question without meaning anything by it."""
WIDE_PARTICLES = "啦了呀啊哦喔吧哈呢嘛ねよ"
INTRODUCTIONS = Phrases(
    "i'm|im|i am|my name is|my name's|this is|it's|we're|we are|ich bin|ich heiße|mein name ist|soy|me llamo",
    "mi nombre es|je suis|je m'appelle|mon nom est|sou|eu sou|me chamo|meu nome é",
)
ROLES = words_in(
    """colleague developer dev engineer student intern user beginner newbie contributor maintainer tester researcher
    manager lead analyst designer teacher freelancer consultant programmer architect newcomer kollege kollegin
    entwickler entwicklerin praktikant praktikantin student studentin desarrollador desarrolladora estudiante
    développeur développeuse étudiant desenvolvedor desenvolvedora estudante coder admin sysadmin team member
    hobbyist junior senior"""
)
INTERROGATIVES = words_in(
    """how where what which who whom whose when why can could would will should shall is are was were do does did has
    have had may might must wie wo was welche welcher welches wer wann warum wieso weshalb woher wohin wozu kann
    kannst können könnt könntest gibt ist sind hat haben werden wird cómo como dónde donde qué que cuál cual
    cuáles quién cuándo cuando por puede puedes podrías hay está es comment où ou quoi quel quelle quels quelles
    qui quand pourquoi est-ce peux peut pouvez pourrais onde qual quais quem quando porque pode você há explain
    show find tell list describe give help please whether if look check see fix add change make write implement
    refactor debug trace walk point"""
)
WH_WORDS = words_in(
    """how where what which who whom whose why when wie wo was welche welcher welches wer wann warum wieso woher cómo
    dónde qué cuál cuáles quién cuándo comment où quel quelle quels quelles pourquoi onde qual quais quem como"""
)
REPORTING = words_in(
    """asked asks ask asking wants want wanted wonders wonder wondered wondering know said says told tell needs need
    question curious understand interested like find out figure explain clarify learn help show wissen fragt
    fragte gefragt frage möchte will pregunta preguntó quiere saber demande demandé veut savoir perguntou quer"""
)
REPORT_FILLER = words_in(
    """i i'm i'd i've we we'd you he she they my our your his her the a an me us to would could can will like if is
    was am be been just also really still only trying try please kindly boss manager colleague coworker teammate
    team lead friend customer client user reviewer professor teacher somebody someone of from in on for about that
    there have had has got one this following quick new today yesterday and so have help again possible do does
    did mich mir ich mein meine chef kollege kollegin wir unser kunde mi jefe me yo mon ma chef je meu chefe eu it
    able wanted now well basically actually some trying out"""
)
LABELS = words_in(
    """quick question q short small another one more simple stupid dumb newbie kurze frage eine noch pregunta rápida
    duda una question rapide petite une pergunta dúvida uma rápida context background task problem issue my the
    here's hi just request goal topic subject help needed next first second also btw fyi"""
)
ASIDES = Phrases(
    "as discussed|as mentioned|as agreed|as per|per our|following up|following our|for our|for my|fyi|btw",
    "by the way|regarding your|speaking of|out of curiosity|just curious|just out of curiosity|asking for",
    "if you don't mind|when you|whenever you|before i forget|one more thing|after lunch|since i'm|since i am|as a",
    "as an|übrigens|por cierto|au fait",
)
# Words of small talk, choices and steps: a message of these and of stop words alone names nothing of a project.
SOCIAL_WORDS = words_in(
    """nice good great fine cool fantastic brilliant lovely superb sweet neat clever smart genius legend hero awesome
    amazing perfect excellent wonderful magic beautiful impressive impressed helpful useful useless clear
    clearer obvious quick quickly fast slow slowly funny fun weird strange boring bored tired sleepy hungry busy
    happy glad sad angry annoyed sorry afraid worried lucky excited curious confused lost stuck sick well better
    best worse worst bad terrible awful okay alright right wrong true false correct exactly indeed absolutely
    definitely certainly totally completely probably perhaps maybe possibly hopefully luckily finally seriously
    honestly actually basically really pretty quite rather enough solved resolved fixed worked works working
    compiled compiles passed passes merged merge shipped ship approved approve accept accepted reject rejected
    saved save saves day days life lives week weekend month morning afternoon evening night tonight tomorrow
    today yesterday lunch dinner breakfast coffee tea break
    home bed later soon minute minutes moment second seconds sec secs hour hours while time times again back
    wait hold stop continue continued proceed resume finish finished start started stopped end ended left keep
    going go went carry move moving next last previous first third fourth option options choice choices choose
    pick plan plans idea ideas suggestion suggestions proposal step steps part parts thing things stuff bit lot
    ton tons agree agreed disagree sense total trust believe hope wish guess suppose think thinking thought
    thoughts figure figured misread misunderstood mistake mistakes fault oops understand understood remember
    forget forgot forgotten learn learned learnt feel feeling feelings love loved hate hated enjoy enjoyed
    appreciate appreciated help helped helping answer answers answered response responses reply replies
    explanation explanations question questions ask asked asking talk talking speak speaking chat chatting
    conversation message messages word words tell told say said hear heard listen repeat apologize apologise
    apology name human robot bot machine person alive sleep dream company built created trained knowledge cutoff
    language languages secret assistant model version friend friends buddy mate man dude guys team everyone
    everybody meeting call phone holiday vacation yes no yeah yep yup nope nah ok k y n hm hmm huh ah aha oh wow
    haha lol one two three four five fifty half both either neither cheers nothing everything anything something
    done ready many kind sort care matter matters welcome please thanks thank pleasure anyway anyways though
    although however instead otherwise already yet still ever never always sometimes often usually alternative
    sounds sound looks look seems seem luck honest fair worth trying try tried change changed mind minds
    favourite favorite shorter short longer long simple simpler simply plain detail details brief table list
    bullet bullets emoji emojis summary tone english german french spanish needed wanted looking leave leaving
    liked likes happily super danke gracias merci"""
).union(WEEKDAYS)
COMPLAINTS = words_in(
    """work works worked working doesn't doesnt don't dont isn't isnt not still broken breaks broke fail fails failed
    failing crash crashes crashed crashing wrong error errors issue issues problem problems bug bugs bugged trouble help
    stuck happens happened happening fix fixed fixing solve why same again nothing everything something it this that
    code
    program script app thing can't cant cannot won't wont weird strange debug geht nicht funktioniert kaputt fehler
    hilfe
    no funciona error ayuda problema ça marche pas erreur aide não funciona erro ajuda check look"""
)
# Steps of an agent's loop, said by its own program: "The user approved this operation. Proceed."
STEP_WORDS = words_in(
    """tool tools run ran runs running output outputs result results error errors user approved denied operation
    feedback provided task tasks step steps finished complete completed completion previous response instruction
    instructions reminder call calls called attempt retry command commands execute executed successfully success
    failed additional further without working finish unless everything empty returned stopped interrupted turn turns
    tokens limit reached maximum"""
)
STEP_VERBS = words_in("""continue proceed resume retry finish go""")
FOLLOWING = words_in(
    """it its itself they them their theirs those these he she him her former latter same above previous earlier ones
    es dessen deren diese dieser dieses das sie ihn ihm dort dazu davon damit daran darin eso esa ese esto esta
    este ello lo la ahí allí cela ça celui celle ceux y en isso isto aquilo ele ela ali"""
)
DEMONSTRATIVES = words_in("""that this such there here one""")
CONTINUATIONS = words_in("""and but also or so then und aber auch oder y pero también et mais aussi e mas também""")
ELLIPSES = Phrases(
    "what about|how about|and what about|what if|and if|was ist mit|wie ist es mit|qué pasa con|y qué pasa con",
    "et pour|e quanto a|same for|likewise for",
)
# A word that does something and says not to what.
BARE_VERBS = words_in(
    """fix change explain show test tested tests refactor rename remove delete add improve optimize simplify document
    documented move update use used call called calls caller callers implement implemented defined define
    definition declared raise raises raised return returns write rewrite extend debug run configure configured
    default defaults work works example examples happen happens check handle handled done similar other others
    rest same again instead part line lines function method class file files module code name type value behind
    behave behavior second first last next beheben ändern erklären testen getestet zeigen dónde probado arreglar
    explicar tester testé expliquer corriger testado explicar corrigir exceptions errors parameters arguments
    options exactly"""
)
# Words of talk about any code: with only these a message of a chat leans on the turns before it.
GENERIC_WORDS = words_in(
    """add added adding allow allowed apply argument arguments arg args approach approaches async asynchronous await
    behaviour break breaks broken bug bugs caller callers case cases change changes check checked class classes
    clean cleaner cleanup code comment comments commit common compare comparison condition configurable
    configure copy correct corresponding crash create default delete dependency diff difference different
    disable disabled doc docs docstring docstrings documentation documented does edge edit effect else empty
    enable error errors exact example examples exception exceptions existing explain expected extend extension
    extract fail failed failing fails fast faster file files final fix fixes fixed full function functions
    global guarantee handle handled handles happen happening happens helper helpers hint hints idea implement
    implementation implemented import imports improve improved inline inner input inputs inside internal
    internally involved issue issues keep key kind lead line lines list local log logging logic look loop main
    make method methods missing mock mocked modify module modules name named needed none null number object open
    optional option options order outer output outputs override overridden overwrite own package parameter
    parameters param params part parts pass passed path performance place places point possible problem problems
    property proper purpose raise raised raises reason refactor refactored related relevant remove removed
    rename replace rest result results return returned returns reuse reverse rewrite rewritten role rule rules
    run runs safe same sample sense separate set setting settings setup shorter show side signature similar
    simple simpler simplify single size slow slower small smaller snippet solution source specific split start
    step steps sub support supported sync synchronous test tested testing tests thread threadsafe thread-safe
    time times todo touch trigger triggered try type typed types typing unit update updated usage use used uses
    using usual valid value values variable variables variant version wait whole work working works wrap write
    written wrong zero file's again involve real really second third first last next previous other another both
    either alternative instead deeper further short summary line-by-line type-hint type-hints happy unhappy also
    negative positive called calls call invoked invoke invokes pythonic readable efficient efficiently better
    covered cover covers coverage assert asserts assertion assertions fixture fixtures failure failures original
    diagram picture text lots bit compile compiles compiled double testé testée testés exactly safely directly
    automatically manually usually normally actually effects datei funktion methode klasse zeile zeilen fehler
    aufgerufen ruft aufruf beispiel rückgabewert wert werte typ typen zeig zeige schreib schreibe ändere erkläre
    mach mache repariere füge hinzu einen einem einer mir mal genau getestet schneller einfacher kürzer beide
    warum weshalb wieso stelle stellen archivo función método clase línea líneas errores prueba pruebas ejemplo
    valor valores tipo tipos muéstrame muestra código escribe cambia explica explícame arréglalo arregla añade
    devuelve llama llaman rápido porque fichier fonction méthode classe ligne erreur exemple valeur montre
    montre-moi corrige ajoute renvoie appelle pourquoi vite arquivo função linha erro exemplo mostre corrija
    adicione retorna chama favor plaît"""
)
OF_WORKSPACE = words_in(
    """our here repo repository project codebase workspace we code module file class function method unser
    unserem projekt nuestro proyecto notre projet nosso projeto"""
)
ARTICLES = words_in("""the a an""")
STOP_WORDS = words_in(
    """a about after all also am an and any anything are as at be because been before being but by came can come
    could did do does doing done each else etc ever every for from get gets give go goes had happen has have
    having he her here him his how i if in into is it its just know let like look made make many may me might
    more most much must my need no not now of off on once one only or other our out over own please put say see
    she should show so some something still such take tell than that the their them then there these they thing
    things this those through to too under up us want was way we well were what when where whether which while
    who whose why will with without would yet you your i'm it's that's what's where's how's don't doesn't isn't
    can't won't der die das ein eine und oder ist sind wie wo was wird werden für mit von zu im in auf nicht
    auch man den dem des es el la los las un una y o es son como cómo dónde qué se de del en por para con no le
    les et ou est sont comment où que qui dans pour avec sur ne pas os as um uma e é são onde que no na em com
    não do da"""
)
