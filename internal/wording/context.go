package wording

import "bizfin/internal/questions"

// Context is what words are read in: what was asked, and of which money.
type Context struct {
	Options  []questions.Option
	Incoming *bool  // the direction of the money; nil where it is not about one
	Question string // its text, which says whom it is about
}

// Direction is that of the money.
func (c Context) Direction() Direction {
	switch {
	case c.Incoming == nil:
		return Either
	case *c.Incoming:
		return In
	default:
		return Out
	}
}
