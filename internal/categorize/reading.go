package categorize

// Reading is a description taken apart. The raw text is kept by the caller.
type Reading struct {
	Name string // the other side as written, without store number, place and ids; "" where the line names none
	// "ach", "wire", "card", "bill", "p2p", "check", "atm", "deposit", "transfer", "fee", "interest"; "" where not
	// shown
	Channel     string
	Processor   string // payment processor whose code stands before the name: "Square"
	Person      string // the name, where it is a person's
	Descriptor  string // ACH company entry description: "PAYROLL"
	Memo        string // note of a payment, in upper case
	City, State string // place behind the name; "" where not shown
	CheckNumber string
}

// Normalize takes a description apart. Without an amount it cannot know which
// side of a wire is the other side: it takes the beneficiary.
func Normalize(description string) Reading {
	var c subject
	c.data = load()
	c.parse(&c.parsed, description, Business{}, unknown)
	c.identify()
	r := Reading{Channel: c.channel.String(), City: c.display(c.city)}
	switch c.channel {
	case check, atm, deposit, fee, interest: // the bank's own words
	default:
		if !c.onlyNumbers() {
			r.Name = c.display(c.parsed.name)
		}
	}
	if c.person {
		r.Person = r.Name
	}
	if c.processor != nil {
		r.Processor = c.processor.name
	}
	if c.state >= 0 {
		r.State = string(c.bytes(c.state, c.state+1))
	}
	if c.check >= 0 {
		r.CheckNumber = string(c.bytes(c.check, c.check+1))
	}
	r.Descriptor = string(c.words(nil, c.descriptor))
	r.Memo = string(c.words(nil, c.memo))
	return r
}
