package wording

// views are the features that the model leaves out when it looks at an answer again.
var views = [...][]string{
	{},                                   // all are seen
	{"w ", "b ", "p "},                   // what the words are about alone
	{"p "},                               // whole words
	{"b ", "ii "},                        // each word alone
	{"i ", "is ", "for ", "ii ", "not "}, // the very words alone
	{"q ", "qi ", "first "},              // as if nothing had been asked
}

// signs are so many numbers that a reading is trusted by: a constant, what each view and the second learner say, and
// signsOfWords.
const (
	signsOfSecond = 2
	signsOfWords  = 8
	signs         = 1 + len(views) + signsOfSecond + signsOfWords
)
