package bankfile

// Question is what a file leaves open, and which option answers it.
type Question struct {
	Asks   string // in words
	Option string // the flag with its values, such as --dates mdy or --dates dmy
}
