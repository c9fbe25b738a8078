package decide

import "bizfin/internal/questions"

// Strays are the rows among earlier ones, about which nobody asks, that may be asked about by a question of rows
// decided now. Alone they were too small or too few for one: whether rows come one by one or all at once, they are
// asked about alike.
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
