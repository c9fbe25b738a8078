package decide

import "bizfin/internal/questions"

// Strays are those of rows decided earlier that are asked about by what rows decided now are asked about by, or may be.
// Alone they were too small or too few for a question: whether rows come one by one or all at once, they are asked
// about alike.
func Strays(decided, earlier []Decision) []Decision {
	topics := map[questions.Topic]bool{}
	for _, d := range decided {
		for _, topic := range d.topics() {
			topics[topic] = true
		}
	}
	var strays []Decision
	for _, d := range earlier {
		for _, topic := range d.topics() {
			if topics[topic] {
				strays = append(strays, d)
				break
			}
		}
	}
	return strays
}

// topics are what a row may be asked about by, with others: nothing where it is asked about alone, or not at all.
func (d Decision) topics() (all []questions.Topic) {
	if d.Question == nil {
		return nil
	}
	ask := d.Ask()
	for q := d.Question; q != nil; q = q.Narrow {
		if ask.Question = q; !q.Key.OfOneRow() {
			all = append(all, ask.Topic())
		}
	}
	return all
}
