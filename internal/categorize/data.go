package categorize

import "bizfin/internal/money"

// data is everything the engine knows, read once and never changed.
type data struct {
	*lexicon
	wordFlags   []wordFlag   // by word
	prefixes    []channel    // by phrase, like the following four
	anywhere    []channel    //
	markers     []role       //
	processorAt []*processor //
	keywordAt   []*keyword   //
	termsAt     [][]int32    //

	stems        []stem              // single keywords, sorted
	inside       map[string]*keyword // sure keywords that may be part of a longer word
	website      *keyword            // what an unknown host name most likely sells
	airTicket    *keyword            // behind the number of an airline ticket
	agentFee     *keyword            // behind the number of a travel agent's document
	partners     *keyword            // what a word for an association means behind an ampersand
	callings     map[string][]string // by a word of the names of firms: those whose firms are called so
	services     []string            // the names of payment processors
	apps         map[string]bool     // those by which people pay each other
	terms        int                 // how many there are
	termByText   map[string]int32
	factTerms    map[string][]int32
	facts        facts
	refundTerm   int32
	payoutTerm   int32
	flows        []rule
	fallbacks    []rule
	institutions *names
	institution  []institution
	merchants    *names
	cutNames     *names // of merchants, as formats cut them: looked up where no other name begins a line
	merchant     []merchant
	tiers        map[string]tier
	private      []Alternative // for a merchant that private customers use too
	business     []Alternative // for a merchant that only private customers use
	ofCalling    []Alternative // for one of the business's own calling
}

// facts are the terms of what is known of a line beside its phrases.
type facts struct {
	channels                       [len(channelNames)][]int32
	named, unnamed, person, firm   []int32
	namesake, ours, host           []int32
	dictionary, credit, loan, tiny []int32
	noted, local, financial        []int32
	payrollForm, incomeForm        []int32
	balance                        []int32
}

// wordFlag is the part a word plays in reading a line.
type wordFlag uint16

const (
	flagState wordFlag = 1 << iota
	flagCountry
	flagCity
	flagTLD
	flagLegal
	flagFiller
	flagOccasion
	flagGiven
	flagBanking
)

var flagNames = map[string]wordFlag{
	"state": flagState, "country": flagCountry, "city": flagCity, "tld": flagTLD,
	"legal": flagLegal, "filler": flagFiller, "occasion": flagOccasion, "banking": flagBanking,
}

func (d *data) flags(word int32) wordFlag {
	if int(word) < len(d.wordFlags) {
		return d.wordFlags[word]
	}
	return 0
}

// tier is how sure decisions of one kind are.
type tier struct {
	name       string
	confidence money.Ratio
}

// processor is a payment processor that writes a code before the merchant's name.
type processor struct {
	name    string
	kind    processorKind
	keyword *keyword // what its merchants sell, nil where they sell anything
}

type processorKind uint8

const (
	kindCard processorKind = iota + 1
	kindWallet
	kindP2P
	kindSender
	kindBiller
	kindTo
	kindNobody
)

// keyword is a word that says what kind of business the other side is.
type keyword struct {
	category           int
	tier               tier
	rank               int // 3 sure, 2 likely, 1 guess
	kind, relationship string
	personal           bool
	onTheWay           bool // restaurants and travel
	text               string
	alternatives       []Alternative
}

// stem is a keyword as it may stand cut off at the end of a line.
type stem struct {
	word    string
	keyword *keyword
}

// likelyRank is the rank of keywords that are an opinion and not a guess.
const likelyRank = 2

// institution is a name that decides what kind of flow a line is.
type institution struct {
	Counterparty
	facts []int32
}

// merchant is an entry of the dictionary, with what follows from it.
type merchant struct {
	Counterparty
	out, in int // category ids, 0 for none
	outTier tier
	use     string
	curated bool
}

// role is what the words behind a marker are.
type role uint8

const (
	roleNone role = iota
	roleCompany
	rolePayer
	rolePayee
	roleDescriptor // from here to roleBank, words that end a name mean nothing
	roleMemo
	roleOwn
	roleID
	roleBank
	roleP2PMemo
	roleP2PBank
	roleDate
	roleTail
	roleTailEnd // a tail only where nothing but numbers follows
)

var roles = map[string]role{
	"company": roleCompany, "descriptor": roleDescriptor, "own": roleOwn, "id": roleID, "bank": roleBank,
	"payer": rolePayer, "payee": rolePayee, "memo": roleMemo, "p2pmemo": roleP2PMemo, "p2pbank": roleP2PBank,
	"date": roleDate, "tail": roleTail, "tailend": roleTailEnd,
}

// rule decides by the kind of payment. All of need must be there, nothing of unless.
type rule struct {
	name         string
	dir          direction // unknown fits both
	first        int32     // of need: most lines lack it
	need         []int32   // terms
	unless       int32     // term, -1 for none
	category     int       // 0: the rule only ends the search
	tier         tier
	ask          bool
	who          who
	counterparty Counterparty // where who is whoFixed
	alternatives []Alternative
	reason       string
}

// who is the counterparty of a rule's decision.
type who uint8

const (
	whoNone        who = iota // the bank, or nobody
	whoInstitution            // the institution or merchant found, else the name
	whoName                   // the name on the line
	whoFixed
)

// The shortest keyword that counts inside a word (one more at its beginning), and
// the bounds of such words.
const (
	minInside   = 4
	minCompound = 8
	maxCompound = 24
)
