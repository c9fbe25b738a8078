package store

// PreparedTexts counts the texts that a pool has prepared so far.
func (d *DB) PreparedTexts() (count int) {
	d.statements.Range(func(any, any) bool { count++; return true })
	return count
}
