"""Tables of English: what carries no meaning, what negates, what opposes, how forms and spellings vary.

They hold inflection and grammar, not synonyms: the judge claims to match words, no more.
"""

from __future__ import annotations

STOP_WORDS = frozenset(
    """
    a an the this that these those it its they them their he she his her him we us our you your i me my one ones
    and or but if so as than then though although whereas while because since when where which who whom whose what
    why how of in on at by for from to into onto with within through over under up down out off about around between
    among along across during until upon per via is are was were be been being am do does did done doing have has had
    having can could may might must shall should will would not no nor neither never cannot there here also too very
    just only even both each either any some such other another same own more most much many few all every
    s t re ve ll d don't doesn't didn't isn't aren't wasn't weren't won't can't couldn't shouldn't wouldn't
    get gets got let lets etc e.g i.e that's there's
    """.split()
)
"""Words without content of their own."""

COMPARING_WORDS = frozenset("more less before after".split())
"""Stop words that decide a meaning when an opposite stands in their place."""

FAINT_WORDS = frozenset(
    """
    usually usual commonly common often mostly mainly most probably likely generally typically typical normally
    normal largely roughly approximately nearly almost circa sometimes many several various really quite rather well
    known called named termed make made making take takes use used uses using give gives go goes come comes came keep
    keeps show shows become becomes became say says said need needs best good great kind kinds type types sort sorts
    way ways thing things part parts different whatever standard somewhere set sets
    """.split()
)
"""Words that an equal statement can easily do without."""

GENERIC_NOUNS = frozenset(
    """
    dish drink food meal animal creature bird plant flower tree object item product place building landmark structure
    monument vehicle car machine device tool garment picture photo photograph image scene subject person game book
    """.split()
)
"""What questions call their subject when they do not name it; rarely repeated by an answer."""

NEGATORS = frozenset(
    """
    not no never without neither nor none nobody nothing cannot cant lack lacks lacking avoid avoids avoiding omit omits
    omitted skip skipping exclude excludes excluding myth misconception
    """.split()
)
"""Words that deny what follows them in their clause; so does anything that ends in n't."""

CONTRASTS = frozenset(("instead of", "rather than", "unlike", "except", "as opposed to", "other than", "apart from"))
"""Words that set aside what follows: it is named as what is not meant."""

NO_DENIAL_AFTER = frozenset(
    "only just merely simply necessarily more less later earlier doubt matter to all sure".split()
)
"""After a negator these turn it into something else: "not only", "no more than", "no doubt", "not to mention"."""

CLAUSE_WORDS = frozenset(
    "but however although though whereas while because since unless instead then which who until if when".split()
)
"""Words that open a new clause, where a negation ends."""

DETERMINERS = frozenset("a an the any some this that these those its their your".split())

MEMBERSHIP_STEMS = frozenset(
    """
    contain includ use add have has had need requir call belong featur involv take be consist part one among
    present tradit typic common ingredi compris want put find found exist
    """.split()
)
"""Stems of what a denial must be about to deny a list's member: "does not contain X", but not "do not burn X"."""

ABSENT = frozenset("absent missing omitted excluded forbidden unnecessary".split())
"""Said after the thing: "X is absent"."""

DISSUADERS = frozenset(
    """
    avoid dangerous unsafe risky risk danger forbidden illegal prohibited banned wrong mistake bad refrain harmful
    unwise
    """.split()
)
"""Disapproval without a negation: agrees with a negative statement in the same words."""

HEDGES = frozenset(("perhaps", "possibly", "maybe", "might", "unsure", "uncertain", "unclear", "guess"))
"""Doubt in one word. "May", "can" and "could" are left out: they also give permission and advice."""

HEDGE_PAIRS = frozenset(("not sure", "i think", "i suppose", "could be", "may be", "not certain"))

OPPOSITES = {
    a: b
    for pair in """
    more/less most/least higher/lower high/low before/after increase/decrease increases/decreases rise/fall raise/lower
    raised/lowered larger/smaller large/small largest/smallest bigger/smaller longer/shorter long/short
    older/younger oldest/youngest older/newer north/south east/west northern/southern eastern/western left/right
    hot/cold hotter/colder wet/dry clockwise/anticlockwise thick/thin thicker/thinner stronger/weaker strong/weak
    light/dark lighter/darker dominant/recessive always/never loosen/tighten upper/lower deeper/shallower
    male/female inside/outside indoors/outdoors early/late earlier/later faster/slower summer/winter
    """.split()
    for a, b in (pair.split("/"), pair.split("/")[::-1])
}
"""Words that cannot stand in each other's place; where a word has several, the last pair counts."""

SPELLINGS = (
    ("anticlockwise", "counterclockwise"),
    *(
        tuple(pair.split("/"))
        for pair in """
        colour/color tyre/tire tyres/tires grey/gray aluminium/aluminum centre/center litre/liter metre/meter
        millilitre/milliliter kilometre/kilometer centimetre/centimeter millimetre/millimeter mould/mold fibre/fiber
        flavour/flavor odour/odor sulphur/sulfur plough/plow organise/organize organised/organized neighbour/neighbor
        labour/labor harbour/harbor mortice/mortise yoghurt/yogurt chilli/chili doughnut/donut programme/program
        catalogue/catalog defence/defense analyse/analyze theatre/theater jewellery/jewelry storey/story armour/armor
        """.split()
    ),
)
"""British and American spellings of one word."""

CONFUSED = frozenset(
    """
    desert/dessert deserts/desserts finish/finnish poison/poisson canons/cannons roster/rooster rosters/roosters
    carton/cartoon cartons/cartoons dragon/dragoon dragons/dragoons shallots/shallows snowball/snowfall
    landfall/landfill prophecy/prophesy
    """.split()
)
"""Ordinary words and names one letter apart that no rule of shape tells apart, the shorter or earlier first."""

IRREGULAR = {
    form: base
    for base, forms in (
        line.split(":")
        for line in """
        grind:ground;build:built;begin:began,begun;bring:brought;dig:dug;hold:held;lay:laid;rise:rose,risen;
        break:broke,broken;freeze:froze,frozen;draw:drew,drawn;grow:grew,grown;throw:threw,thrown;wear:wore,worn;
        shake:shook,shaken;choose:chose,chosen;drive:drove,driven;write:wrote,written;eat:ate,eaten;fall:fell,fallen;
        feed:fed;keep:kept;sweep:swept;bend:bent;spend:spent;send:sent;melt:molten;swell:swollen;stick:stuck;
        spin:spun;wind:wound;sell:sold;teach:taught;buy:bought;catch:caught;hang:hung;stand:stood;lose:lost;
        find:found;fly:flew,flown;sink:sank,sunk;shrink:shrank,shrunk;knife:knives;loaf:loaves;
        half:halves;wolf:wolves;foot:feet;tooth:teeth;mouse:mice;goose:geese;woman:women;man:men;child:children;
        sow:sown;saw:sawn;drink:drank,drunk;sing:sang,sung;swim:swam,swum;tear:tore,torn;weave:wove,woven
        """.replace("\n", "")
        .replace(" ", "")
        .split(";")
    )
    for form in forms.split(",")
}
"""Forms that no stemmer joins, to the base form."""

ORDER_WORDS = frozenset(
    """
    then next after afterwards afterward before beforehand first firstly secondly third thirdly finally lastly last
    once until step steps followed subsequently later begin start order sequence
    """.split()
)
"""Words that say an order. "Second" is left out: it is also a unit of time."""

GOING_BACK = ("before that", "before this", "before then", "before doing", "beforehand", "prior to that", "but first")
"""A sentence that opens with one of these tells what comes before the sentence in front of it."""

SMALL_NUMBERS = {
    word: float(value)
    for value, word in enumerate(
        """
        zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty
        """.split()
    )
} | {
    word: float(10 * tens)
    for tens, word in enumerate("thirty forty fifty sixty seventy eighty ninety".split(), start=3)
}

SCALES = {"dozen": 12.0, "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
