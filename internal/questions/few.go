package questions

// What was said of some rows of a key alone, and what that is of the others.

// OfSome is whether the answer said something of some rows of a key alone.
func (m Memory) OfSome(k Key, l Line) bool {
	uses := m.categories[Topic{k.String(), k.Incoming(l)}].uses
	return len(uses) > 0 && uses[0].OfSome
}

// OfFew is whether what was said of some rows is no guess of the others: it was said of few, or of most no one thing.
func (m Memory) OfFew(k Key, l Line) bool {
	said := map[int]int64{}
	var all, most int64
	for _, u := range m.categories[Topic{k.String(), k.Incoming(l)}].uses {
		n := value(u.RowCount)
		said[value(u.CategoryID)] += n
		all, most = all+n, max(most, said[value(u.CategoryID)])
	}
	return m.OfSome(k, l) && (all < enough || 3*most < 2*all)
}
