package categorize

import "bizfin/internal/money"

// subject is one line while it is decided. It stays on the stack.
type subject struct {
	*data
	parsed
	amount      money.Amount
	dir         direction
	institution *institution
	merchant    *merchant
	matched     int  // tokens of the merchant's name
	within      bool // the merchant's name does not stand where names begin
	distinct    bool // the merchant's name is hardly another firm's
	keyword     *keyword
	person      bool
	given       bool // a given name is among the person's
	noted       bool // the keyword stands in the payment's note
	described   bool // the keyword stands in the entry's description, not in the name
	contested   bool // another word of the name speaks for private life
	calling     bool // the name has a word that firms of the business's own calling are called by
	legal       bool // the name carries the form of a firm
	set         termSet
}
