"""Function words by language: articles, pronouns, prepositions, auxiliaries, particles.

They occur in nearly every text, so a shared one carries no information. The lists are short on purpose: words
that may carry meaning stay. They are lower case, with their accents. An apostrophe splits words, so its parts
are listed. Languages without a list are only stemmed.
"""

_ENGLISH = """
the an and or but nor if then than as at by for from in into of off on onto out over to under until up upon
with within without about above after again against along among around before below between beyond down
during near since through toward towards while because though although whether unless
am is are was were be been being do does did doing done has have had having can could may might must shall
should will would ought cannot
me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves one ones
this that these those there here who whom whose which what when where why how
all any both each few more most other others some such no not only own same so too very just also ever even
much many either neither every another rather quite yet still however thus hence
ll re ve don doesn didn isn aren wasn weren hasn haven hadn wouldn shouldn couldn mustn
"""
_GERMAN = """
der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines und oder aber
denn sondern wenn als wie ob weil dass daß damit obwohl bevor nachdem während bis seit
in im ins an am ans auf aus bei beim mit nach von vom vor zu zum zur über unter um durch für gegen ohne
zwischen hinter neben
ich du er sie es wir ihr mich dich sich uns euch mir dir ihm ihn ihnen mein meine meinen meinem meiner meines
dein deine sein seine seinen seinem seiner seines ihre ihren ihrem ihrer ihres unser unsere unserer euer eure
bin bist ist sind seid war waren warst wäre gewesen werde wirst wird werden wurde wurden worden würde würden
habe hast hat haben habt hatte hatten hätte kann kannst können könnte muss müssen soll sollen sollte will
wollen darf dürfen mag
dieser diese dieses diesem diesen jener jene jenes jeder jede jedes welcher welche welches wer wen wem wessen
was wann wo warum man da hier dort so nicht auch noch nur schon sehr doch nun dann also mehr sonst etwa
"""
_FRENCH = """
le la les un une des du de au aux et ou où mais donc or ni car si que qu quand comme lorsque puisque parce
dans en par pour sur sous avec sans chez vers entre contre depuis pendant avant après devant derrière jusque
je tu il elle on nous vous ils elles me te se lui leur leurs moi toi soi eux mon ma mes ton ta tes son sa ses
notre nos votre vos ce cet cette ces ceci cela ça qui quoi dont quel quelle quels quelles lequel laquelle
suis es est sommes êtes sont étais était étaient été être sera seront serait soit ai as avons avez ont avais
avait avaient eu avoir aura auront aurait fait peut peuvent doit
ne pas plus moins très aussi même tout toute tous toutes autre autres là ici alors ainsi encore déjà
"""
_SPANISH = """
el la los las lo un una unos unas al del de en con por para sin sobre entre hasta desde hacia según ante bajo
contra durante tras ni pero sino aunque porque pues si como cuando donde mientras que
yo tú él ella ello nosotros vosotros ellos ellas usted ustedes me te se nos os le les mi mis tu tus su sus
nuestro nuestra nuestros nuestras vuestro vuestra mío mía este esta esto estos estas ese esa eso esos esas
aquel aquella aquello aquellos aquellas quien quienes qué quién cuál cuáles cuándo cómo dónde cual cuales
soy eres es somos son era eran fue fueron sido ser siendo será sería sea estoy está están estaba estado estar
he has ha hemos han había habían haber hay tengo tiene tienen puede pueden
no sí ya más menos muy también tampoco todo toda todos todas otro otra otros otras así tan solo sólo
"""
_ITALIAN = """
il lo la gli le un uno una di del dello della dei degli delle dell da dal dallo dalla dai dagli dalle dall in
nel nello nella nei negli nelle nell con su sul sullo sulla sui sugli sulle sull per tra fra al allo alla ai
agli alle all ed od ma se che chi cui perché come quando dove mentre anche né
io tu lui lei noi voi loro mi ti si ci vi ne me te sé mio mia miei mie tuo tua tuoi tue suo sua suoi sue
nostro nostra nostri nostre vostro vostra questo questa questi queste quest quello quella quelli quelle quell
sono sei siamo siete era erano ero stato stata stati state essere sarà sia ho hai ha abbiamo avete hanno
aveva avevano avere può possono deve
non più meno molto già ancora così tutto tutta tutti tutte altro altra altri altre qui lì quale quali quanto
"""
_PORTUGUESE = """
os as um uma uns umas ao aos às de do da dos das em no na nos nas num numa por pelo pela pelos pelas para
com sem sobre entre até desde contra durante ou nem mas porém porque pois se como quando onde enquanto que
eu tu ele ela nós vós eles elas você vocês me te lhe lhes meu minha meus minhas teu tua seu sua seus suas
nosso nossa nossos nossas este esta isto estes estas esse essa isso esses essas aquele aquela aquilo aqueles
quem qual quais cujo cuja quê
sou és somos são era eram foi foram sido ser será seria seja estou está estão estava estar tenho tem têm
tinha ter há havia haver pode podem
não sim já mais menos muito também só todo toda todos todas outro outra outros outras assim ainda
"""
_DUTCH = """
de het een en of maar want dus als dan dat die dit deze omdat terwijl hoewel toen nu
in op aan van voor met bij uit naar door over onder tot om tegen tussen zonder sinds na te ten ter
ik jij je hij zij ze wij we jullie hem haar ons hun hen mij me zich mijn jouw uw zijn onze uw er
ben bent is was waren geweest wordt worden werd werden heb hebt heeft hebben had hadden kan kunnen kon zal
zullen zou zouden moet moeten mag wil
wie wat waar wanneer waarom hoe welke welk niet geen ook nog wel al alle andere meer zeer zo hier daar
"""
_SWEDISH = """
en ett den det de dem och eller men att som om när där då så för därför eftersom medan än
på av till från med vid under över efter före mellan genom utan hos mot åt ur
jag du han hon vi ni mig dig honom henne oss er sig min mitt mina din ditt dina sin sitt sina hans hennes vår
vårt våra deras
är var varit vara blir bli blev har hade ha kan kunde ska skall skulle måste vill
vad vem vilken vilket vilka hur varför inte ej också bara mycket mer alla allt andra denna detta dessa här
"""
_DANISH = """
en et den det de dem og eller men at som om når hvor da så for fordi mens end
på af til fra med ved under over efter før mellem gennem uden hos mod ad
jeg du han hun vi mig dig ham hende os jer sig min mit mine din dit dine sin sit sine hans hendes vores deres
er var været være bliver blive blev har havde have kan kunne skal skulle må vil ville
hvad hvem hvilken hvilket hvilke hvordan hvorfor ikke også kun meget mere alle alt andre denne dette disse her
der
"""
_NORWEGIAN = """
en ei et den det de dem og eller men at som om når hvor da så for fordi mens enn
på av til fra med ved under over etter før mellom gjennom uten hos mot
jeg du han hun vi dere meg deg ham henne oss seg min mitt mine din ditt dine sin sitt sine hans hennes vår
vårt våre deres
er var vært være blir bli ble har hadde ha kan kunne skal skulle må vil ville
hva hvem hvilken hvilket hvilke hvordan hvorfor ikke også bare mye mer alle alt andre denne dette disse her
der
"""
_RUSSIAN = """
во не что он на со как то все она так его но да ты же вы за бы по ее её мне было вот от меня
об из ему ли или ни быть был него до вас нибудь уж вам ведь там себя ей может они тут где есть надо ней для мы
тебя их чем была сам чтоб чтобы без будто еще ещё уже когда даже если при об этот эта это эти того тому этого
этой этом тот та те который которая которое которые кто чего нет над под между через перед после потому будет
были мой моя твой свой наш ваш им ими нам нас
"""
_LISTS = {
    "danish": _DANISH,
    "dutch": _DUTCH,
    "english": _ENGLISH,
    "french": _FRENCH,
    "german": _GERMAN,
    "italian": _ITALIAN,
    "norwegian": _NORWEGIAN,
    "portuguese": _PORTUGUESE,
    "russian": _RUSSIAN,
    "spanish": _SPANISH,
    "swedish": _SWEDISH,
}

LISTED = tuple(_LISTS)
"""The languages with a list."""


def stop_words(language: str) -> frozenset[str]:
    """The function words of a language; empty without a list."""
    return frozenset(_LISTS.get(language, "").split())
