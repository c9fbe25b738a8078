package categorize

import (
	"embed"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"bizfin/internal/categorize/merchants"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

//go:embed data
var files embed.FS

var load = sync.OnceValue(func() *data {
	d, err := parseData(merchants.All())
	if err != nil {
		panic(err) // an embedded file is broken: the tests rule it out
	}
	return d
})

// parseData reads the data files, with these merchants as the dictionary.
func parseData(dictionary []merchants.Merchant) (*data, error) {
	d := &data{
		lexicon: newLexicon(), termByText: map[string]int32{}, factTerms: map[string][]int32{},
		tiers: map[string]tier{}, inside: map[string]*keyword{}, institutions: newNames(), merchants: newNames(),
		cutNames: newNames(), callings: map[string][]string{}, apps: map[string]bool{},
	}
	institutions := map[string]int32{} // by their names, but for common words
	for _, part := range []struct {
		name   string
		fields int
		read   func(row []string) error
	}{
		{"calibration.csv", 4, d.readTier},
		{"words.csv", 2, d.readWord},
		{"channels.csv", 3, d.readChannel},
		{"markers.csv", 2, d.readMarker},
		{"keywords.csv", 5, d.readKeyword},
		{"callings.csv", 2, d.readCalling},
		{"processors.csv", 4, d.readProcessor},
		{"flows.csv", 10, func(row []string) error { return d.readRule(&d.flows, row) }},
		{"fallbacks.csv", 10, func(row []string) error { return d.readRule(&d.fallbacks, row) }},
		{"institutions.csv", 5, func(row []string) error { return d.readInstitution(row, institutions) }},
		{"spellings.csv", 2, d.readSpelling},
	} {
		if err := rows(part.name, part.fields, part.read); err != nil {
			return nil, err
		}
	}
	if err := d.institutions.shorten(institutions, func(a, b int32) bool { return a == b }); err != nil {
		return nil, err
	}
	if err := d.readGivenNames(); err != nil {
		return nil, err
	}
	if err := d.finishTerms(); err != nil {
		return nil, err
	}
	slices.SortFunc(d.stems, func(a, b stem) int { return strings.Compare(a.word, b.word) })
	d.website = d.keywordAt[d.byText["DOTCOM"]]
	d.airTicket = d.keywordAt[d.byText["AIRLINE TICKET"]]
	d.agentFee = d.keywordAt[d.byText["AGENT FEE"]]
	d.partners = d.keywordAt[d.byText["ASSOCIATES"]]
	var err error
	if d.private, err = alternatives(d.tiers["merchant.mixed"].confidence, "", "personal.living",
		"expense.other.misc"); err != nil {
		return nil, err
	}
	if d.ofCalling, err = alternatives(d.tiers["word.guess"].confidence, "expense.supplies", "cogs.purchases",
		"personal.living"); err != nil {
		return nil, err
	}
	if d.business, err = alternatives(d.tiers["merchant.personal"].confidence, "", "expense.other.misc",
		"expense.supplies", "expense.other.gifts"); err != nil {
		return nil, err
	}
	return d, d.readMerchants(dictionary)
}

// rows hands the rows of an embedded file to read, without head and comments.
func rows(name string, fields int, read func([]string) error) error {
	file, err := files.Open("data/" + name)
	if err != nil {
		return err
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment, r.FieldsPerRecord = '#', fields
	if _, err := r.Read(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for {
		row, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = read(row)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

func (d *data) readTier(row []string) error {
	n, err := strconv.ParseInt(row[1], 10, 64)
	if err != nil || n <= 0 || n >= 10_000 {
		return fmt.Errorf("tier %s: bad confidence %q", row[0], row[1])
	}
	d.tiers[row[0]] = tier{row[0], money.Ratio(n)}
	return nil
}

func (d *data) readWord(row []string) error {
	f, ok := flagNames[row[1]]
	if !ok {
		return fmt.Errorf("word %s: unknown flag %q", row[0], row[1])
	}
	id := d.word(row[0])
	put(&d.wordFlags, id, d.flags(id)|f)
	return nil
}

func (d *data) readGivenNames() error {
	for name := range givenNames() {
		id := d.word(name)
		put(&d.wordFlags, id, d.flags(id)|flagGiven)
	}
	return nil
}

// IsGivenName reports whether a word is a given name that is common in the
// United States.
func IsGivenName(word string) bool { return givenNames()[strings.ToUpper(word)] }

// givenNames reads the file once; a fault of it panics, which the package's tests
// rule out.
var givenNames = sync.OnceValue(func() map[string]bool {
	text, err := files.ReadFile("data/given_names.txt")
	if err != nil {
		panic(err)
	}
	names := map[string]bool{}
	for l := range strings.Lines(string(text)) {
		if strings.HasPrefix(l, "#") {
			continue
		}
		for name := range strings.FieldsSeq(l) {
			names[name] = true
		}
	}
	return names
})

func (d *data) readChannel(row []string) error {
	c, ok := parseChannel(row[1])
	at, known := map[string]*[]channel{"start": &d.prefixes, "any": &d.anywhere}[row[2]]
	if !ok || !known {
		return fmt.Errorf("channel row %q: unknown channel or place", row)
	}
	for _, text := range phrasings(row[0]) {
		id, err := d.add(text)
		if err != nil {
			return fmt.Errorf("channel row %q: %w", row, err)
		}
		put(at, id, c)
	}
	return nil
}

func (d *data) readMarker(row []string) error {
	r, ok := roles[row[1]]
	id, err := d.add(row[0])
	if err != nil || !ok {
		return fmt.Errorf("marker row %q: %w", row, err)
	}
	put(&d.markers, id, r)
	return nil
}

func (d *data) readProcessor(row []string) error {
	k, ok := map[string]processorKind{
		"card": kindCard, "wallet": kindWallet, "p2p": kindP2P, "sender": kindSender, "biller": kindBiller,
		"to": kindTo, "nobody": kindNobody,
	}[row[2]]
	id, err := d.add(row[0])
	if err != nil || !ok {
		return fmt.Errorf("processor row %q: %w", row, err)
	}
	p := &processor{name: row[1], kind: k}
	if k == kindP2P {
		d.apps[row[1]] = true
	}
	if k < kindTo && !slices.Contains(d.services, row[1]) { // the others name none
		d.services = append(d.services, row[1])
	}
	if row[3] != "" {
		word, known := d.byText[row[3]]
		if !known || int(word) >= len(d.keywordAt) || d.keywordAt[word] == nil {
			return fmt.Errorf("processor row %q: %q is no keyword", row, row[3])
		}
		p.keyword = d.keywordAt[word]
	}
	put(&d.processorAt, id, p)
	return nil
}

func (d *data) readKeyword(row []string) error {
	category, err := categoryID(row[1])
	if err != nil {
		return err
	}
	t, err := d.tier("word." + row[2])
	if err != nil {
		return err
	}
	id, err := d.add(row[0])
	if err != nil {
		return err
	}
	k := &keyword{
		category: category, tier: t, kind: row[3], relationship: row[4], text: row[0],
		personal: strings.HasPrefix(row[1], "personal."),
		onTheWay: strings.HasPrefix(row[1], "expense.meals") || strings.HasPrefix(row[1], "expense.travel") ||
			strings.HasPrefix(row[1], "expense.car_truck"),
		rank: map[string]int{"sure": 3, "likely": likelyRank, "guess": 1}[row[2]], // "blind" is 0
	}
	other := "personal.living"
	if k.personal {
		other = "expense.other.misc"
	}
	if k.alternatives, err = alternatives(t.confidence, row[1], other); err != nil {
		return err
	}
	if err := checkCounterparty(k.kind, k.relationship); err != nil {
		return fmt.Errorf("keyword %s: %w", row[0], err)
	}
	put(&d.keywordAt, id, k)
	if !strings.ContainsAny(row[0], " ^$") {
		d.stems = append(d.stems, stem{row[0], k})
		return d.compound(k)
	}
	return nil
}

// readSpelling reads other spellings of a word.
func (d *data) readSpelling(row []string) error {
	d.spell(row[0], strings.Fields(row[1]))
	return nil
}

// readCalling reads the words of a calling.
func (d *data) readCalling(row []string) error {
	for word := range strings.FieldsSeq(row[1]) {
		d.callings[word] = append(d.callings[word], row[0])
	}
	return nil
}

// compound keeps a keyword for names that are written as one word with it:
// CITYPARKING. Only expenses: RESUSCITATION is no fine.
func (d *data) compound(k *keyword) error {
	if k.rank <= likelyRank || len(k.text) < minInside || !isExpense(k.category) {
		return nil
	}
	part := *k
	part.rank = 1
	var err error
	if part.tier, err = d.tier("word.inside"); err != nil {
		return err
	}
	d.inside[k.text] = &part
	return nil
}

func (d *data) readInstitution(row []string, names map[string]int32) error {
	if err := checkCounterparty(row[2], row[3]); err != nil {
		return fmt.Errorf("institution %s: %w", row[0], err)
	}
	if _, ok := d.factTerms["@"+row[1]]; !ok {
		return fmt.Errorf("institution %s: no rule asks for kind %q", row[0], row[1])
	}
	d.institution = append(d.institution, institution{
		Counterparty: Counterparty{Key: foldName(row[0]), Name: row[0], Type: row[2], Relationship: row[3],
			Confidence: sureOfName},
		facts: d.factTerms["@"+row[1]],
	})
	for alias := range strings.SplitSeq(row[4], "|") {
		alias, common := strings.CutPrefix(alias, "=")
		if err := d.institutions.add(alias, int32(len(d.institution)-1), common); err != nil {
			return err
		}
		if !common {
			names[alias] = int32(len(d.institution) - 1)
		}
	}
	return nil
}

// cuts are the lengths at which formats cut the name of a company: an ACH entry after 16 letters (Nacha rules), a
// card's line after 22.
var cuts = [...]int{16, 22}

// minLeft is the least that is left of the word that was cut: one letter may be anybody's.
const minLeft = 2

// shorten adds names as formats cut them inside a word, where what is left is the beginning of names of one alone.
func (n *names) shorten(aliases map[string]int32, same func(a, b int32) bool) error {
	whose := map[string]int32{}
	for _, alias := range slices.Sorted(maps.Keys(aliases)) {
		index := aliases[alias]
		for _, length := range cuts {
			if len(alias) <= length || alias[length] == ' ' {
				continue
			}
			cut := alias[:length]
			if length-1-strings.LastIndexByte(cut, ' ') < minLeft || strings.IndexByte(cut, ' ') < 0 {
				continue
			}
			if other, ok := whose[cut]; ok && (other < 0 || !same(other, index)) {
				whose[cut] = -1
				continue
			}
			whose[cut] = index
		}
	}
	for _, cut := range slices.Sorted(maps.Keys(whose)) {
		if whose[cut] < 0 {
			continue
		}
		if err := n.add(cut, whose[cut], false); err != nil {
			return err
		}
	}
	return nil
}

// readMerchants indexes the dictionary.
func (d *data) readMerchants(all []merchants.Merchant) error {
	aliases := map[string]int32{} // of the part written by hand, which is as banks write
	for _, m := range all {
		e := merchant{use: m.Use, curated: m.Curated, Counterparty: Counterparty{
			Key: foldName(m.Name), Name: m.Name, Type: m.Type, Relationship: m.Relationship, Website: m.Website,
			Confidence: sureOfName,
		}}
		var err error
		if e.out, err = categoryID(m.Out); err != nil {
			return fmt.Errorf("merchant %s: %w", m.Name, err)
		}
		if e.in, err = categoryID(m.In); err != nil {
			return fmt.Errorf("merchant %s: %w", m.Name, err)
		}
		e.outTier = d.tiers[merchantTier(m)]
		d.merchant = append(d.merchant, e)
		for i, alias := range slices.Concat(m.Aliases, m.Exact) {
			if err := d.merchants.add(alias, int32(len(d.merchant)-1), i >= len(m.Aliases)); err != nil {
				return fmt.Errorf("merchant %s: %w", m.Name, err)
			}
			if _, known := aliases[alias]; m.Curated && !known {
				aliases[alias] = int32(len(d.merchant) - 1)
			}
		}
	}
	return d.cutNames.shorten(aliases, func(a, b int32) bool { return d.merchant[a].Key == d.merchant[b].Key })
}

// merchantTier says how sure the dictionary's category is.
func merchantTier(m merchants.Merchant) string {
	switch {
	case strings.HasPrefix(m.Out, ontology.Uncategorized):
		return "unclear"
	case m.Out == "personal.charity" && m.Use == merchants.Personal: // others sell and teach, too
		return "merchant.work"
	case m.Use == merchants.Personal:
		return "merchant.personal"
	case spentWhileWorking(m.Out) && m.Use == merchants.Mixed:
		return "merchant.both"
	case spentWhileWorking(m.Out):
		return "merchant.work"
	case m.Use == merchants.Mixed:
		return "merchant.mixed"
	case m.Curated:
		return "merchant.business"
	}
	return "merchant.listed"
}

// workBranches are the categories whose merchants serve private customers too,
// but stand in a business account for business: eating, driving, traveling,
// phones, shipping, software, building materials and tools. Both labellers of the development lines take them
// so without asking. Shops that sell everything, insurers and doctors are not
// among them.
var workBranches = []string{
	"expense.meals", "expense.travel", "expense.car_truck", "expense.utilities", "expense.other", "expense.advertising",
	"expense.office.postage", "expense.office.printing", "expense.supplies.materials", "expense.supplies.tools",
	"expense.rent.property.storage", "expense.rent.vehicles_equipment",
}

// spentWhileWorking reports whether a category is one of workBranches or below.
func spentWhileWorking(path string) bool {
	if path == "expense.car_truck.insurance" {
		return false
	}
	for _, branch := range workBranches {
		if strings.HasPrefix(path, branch) {
			return true
		}
	}
	return false
}
