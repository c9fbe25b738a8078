package bankfile

// Read reads a file of either kind. It fails with a *Question where there is more than one reading, with ErrNothing, or
// with an error that names the line.
func Read(raw []byte, o Options) (File, error) {
	text := decode(raw)
	var f File
	var err error
	if isOFX(text) {
		f, err = readOFX(text)
	} else {
		f, err = readCSV(text, o)
	}
	if err != nil {
		return f, err
	}
	rows := 0
	for i := range f.Accounts {
		for _, r := range f.Accounts[i].Rows {
			if err := plausible(r, o.Today); err != nil {
				return f, err
			}
		}
		name(f.Accounts[i].Rows)
		rows += len(f.Accounts[i].Rows)
	}
	if rows == 0 {
		return f, ErrNothing
	}
	return f, nil
}
