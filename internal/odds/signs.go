package odds

import (
	_ "embed" // the weights
	"encoding/csv"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"sync"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// Row is what is seen of a row that is not established, but for its words.
type Row struct {
	Amount    money.Amount
	Suggested *ontology.Category // what it seems to be; nil where nothing is seen
	Class     string             // of the evidence: the rule or the tier that read the line
	Channel   string             // how it was paid
}

// Signs are what labelled books are counted by: the direction with the suggestion, the class and the channel, how large
// and how round the amount is beside the suggestion, and how round beside the channel. A thousand dollars that a person
// sends are seldom a sale, and 1,043.17 nearly always.
func (r Row) Signs() []string {
	way := "out "
	if r.Amount > 0 {
		way = "in "
	}
	size, path, round := max(r.Amount, -r.Amount), way+r.Suggested.Path, roundness(r.Amount)
	doubled := bits.Len64(uint64(size/1_00)+1) - 1
	return []string{
		path,
		"by " + way + r.Class,
		"via " + way + r.Channel,
		path + " from 2^" + strconv.Itoa(doubled),
		path + " in " + round,
		"via " + way + r.Channel + " in " + round,
	}
}

// roundness is the largest of some round sums that an amount is a multiple of.
func roundness(amount money.Amount) string {
	for _, dollars := range [...]money.Amount{1000, 500, 100, 50, 5, 1} {
		if amount%(100*dollars) == 0 {
			return strconv.Itoa(int(dollars)) + "s"
		}
	}
	return "cents"
}

// Counts is how likely the row counts in the net profit, in percent, as rows with its signs did in labelled books: a
// logistic regression, for which each sign has a weight of its own.
func (r Row) Counts() int {
	sum := weights()[""]
	for _, sign := range r.Signs() {
		sum += weights()[sign]
	}
	return int(math.Round(100 / (1 + math.Exp(-float64(sum)/hundredths))))
}

// hundredths are what the weights of signs are in: of the logarithm of the odds.
const hundredths = 100

//go:embed signs.csv
var signsFile string

// weights are those of the signs that tell something; the weight of nothing is that of every row.
var weights = sync.OnceValue(func() map[string]int {
	r := csv.NewReader(strings.NewReader(signsFile))
	r.Comment, r.FieldsPerRecord = '#', 2
	rows, err := r.ReadAll()
	if err != nil {
		panic(fmt.Sprintf("odds: signs.csv: %v", err)) // the tests rule it out
	}
	of := make(map[string]int, len(rows))
	for _, row := range rows[1:] {
		if of[row[0]], err = strconv.Atoi(row[1]); err != nil {
			panic(fmt.Sprintf("odds: signs.csv: %v", err))
		}
	}
	return of
})
