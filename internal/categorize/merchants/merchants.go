// Package merchants is the dictionary of merchants, processors, authorities and
// other counterparties that small businesses in the United States meet: how they
// appear on bank lines, what they are to the business, and which category money
// from and to them usually belongs to.
//
// It knows names only. What a bank line says beside the name, and what this
// business answered before, outranks it. Direction comes first: the same name
// means a payout when money comes in and a fee when it goes out, so every
// merchant has a category per direction.
//
// The data are two embedded files: curated.tsv, written by hand, and
// generated.tsv, made from the name-suggestion-index by the program in generate
// (see NOTICE.name-suggestion-index.md for its licence). Brands whose name is an
// ordinary word are left out of the generated part, and carry more evidence than
// the word in the curated one.
package merchants

import _ "embed" // the two files

// Version names the state of the dictionary, so that a decision can be
// reproduced. It is raised with every change of the data files.
const Version = "2026.28"

// Merchant is one counterparty, or one product of it that belongs to a category
// of its own: several entries may share a Name ("Gusto": pay, taxes and fees),
// and then agree in Type, Relationship and Website.
type Merchant struct {
	// Name is the display name, as the merchant writes it.
	Name string

	// Aliases are the beginnings of the merchant's bank lines, after the bank's
	// own prefix: "AMZN MKTP", "GOOGLE ADS". They are upper case ASCII, carry no
	// order number, and name the merchant whatever follows. Compared by words:
	// punctuation is a break, apostrophes are nothing ("LOWE'S" is LOWES). The
	// longest that fits wins. No two entries share one.
	Aliases []string

	// Exact are names that are ordinary words or share their first word with
	// others, and therefore identify the merchant only if nothing else remains
	// of the line's name once store number, place and channel are gone:
	// "TARGET", "SHELL". No alias or exact name of another entry equals one.
	Exact []string

	// Type is what the merchant is, in the contract's vocabulary of counterparty
	// types.
	Type string

	// Relationship is what it usually is to a business, in the contract's
	// vocabulary. That has no word for some: restaurants and private spending
	// are "lifestyle", travel and software "service", card issuers "lender",
	// associations and parking "service".
	Relationship string

	// Out and In are the category paths of money going to and coming from the
	// merchant; "" where the name alone does not tell. A refund is not In: it
	// belongs to the category of the purchase.
	Out, In string

	// Website is the host name, "" if not known.
	Website string

	// Use says how far the name shows a purchase to be for the business: one of
	// Business, Mixed and Personal.
	Use string

	// Curated entries were written by hand; the others follow their kind of shop.
	Curated bool
}

// The values of [Merchant.Use].
const (
	Business = "business" // sold to businesses, or meaningful only for them
	Mixed    = "mixed"    // bought by both; Out is the likeliest business category
	Personal = "personal" // private unless the business says otherwise
)

//go:embed curated.tsv
var curated string

//go:embed generated.tsv
var generated string
