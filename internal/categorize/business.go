package categorize

import "strings"

// Business is what the business is called whose lines are read, as far as its bank writes the name of the receiver on
// them: ACH CORP DEBIT PAYMENT ALSCO INC KETTLE AND CLIPPER BAR CUSTOMER ID 2214. The zero value is called nothing.
type Business struct {
	words []string
	owner []string // what stands in brackets behind the name, such as whose it is: who is called so is of the family
}

// BusinessOf reads the name of a business: the form of the firm and what stands in brackets are no part of it on a
// line.
func BusinessOf(name string) Business {
	name, owner, _ := strings.Cut(name, "(")
	return Business{namesIn(name), namesIn(owner)}
}

// namesIn are the words of a name that tell it from others.
func namesIn(name string) (words []string) {
	var l line
	l.read(name)
	for i := range l.count {
		if word := string(l.bytes(i, i+1)); !joins(word) && !legalForm(word) {
			words = append(words, word)
		}
	}
	return words
}

// joins reports whether a word joins others: some write it, others a sign, or nothing.
func joins(word string) bool { return word == "AND" || word == "&" }

// endsName reports whether no word of a firm's name follows a word: what stands behind it says what the payment is for,
// as in HIGHLINE LLC RENT. Behind other forms there are more names: FORD MOTOR CO CREDIT.
func endsName(word string) bool {
	switch word {
	case "LLC", "INC", "LLP", "PLLC", "SRL", "SARL", "GMBH":
		return true
	}
	return false
}

// legalForm reports whether a word is the form of a firm.
func legalForm(word string) bool {
	switch word {
	case "LLC", "INC", "CORP", "LLP", "LP", "LTD", "PLLC", "PC", "CO", "COMPANY", "CORPORATION", "INCORPORATED":
		return true
	}
	return false
}
