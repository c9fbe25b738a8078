package books

// Question is a question as its owner sees it.
type Question struct {
	Rows      []Row    // the bank lines it is about
	Options   []string // values that can be chosen; those of categories are paths
	FreeText  bool     // words are taken
	Splits    bool     // the grammar of splits is taken
	Numbers   []int    // of the lines in Rows, 0 for those that are not shown; or empty
	Parties   []string // whom the rows in Rows are with, by the name that is shown; or empty
	Business  *Book    // whose question it is, where it is about no rows
	FollowsUp bool     // words were given and not understood
}

// Reply is one way of answering.
type Reply struct {
	Option string // the option chosen, or empty
	Words  string
	Whole  bool // what it says is true of every row of the question
}

// Skip says that the owner cannot say it.
var Skip = Reply{Words: "skip"}
