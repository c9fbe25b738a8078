package answers

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/ontology"
	"bizfin/internal/wording"
)

// kinds are what owners call things of which a question about several of them asks, and the categories of these.
var kinds = []struct {
	named *regexp.Regexp // folded
	are   []string
}{
	{regexp.MustCompile(`^(cell|mobile|cell phones?|mobile phones?|phones?|telephones?|phone bill|cell bill)$`),
		[]string{"expense.utilities.phone"}},
	{regexp.MustCompile(`^(internet|wifi|wi fi|broadband|cable|internet bill)$`),
		[]string{"expense.utilities.internet"}},
	{regexp.MustCompile(`^(power|electric|electricity|light|lights|light and gas|gas and electric|gas and power|` +
		`power and gas|water|heat|heating|utilities|power bill|electric bill)( of the house| at home)?$`),
		[]string{"expense.utilities.power_water"}},
	{regexp.MustCompile(`^(gas|fuel|gasoline|diesel)( for the (car|truck|van))?$`),
		[]string{"expense.car_truck.fuel"}},
	{regexp.MustCompile(`^(parking|tolls|parking and tolls)$`), []string{"expense.car_truck.parking_tolls"}},
	{regexp.MustCompile(`^(car|auto|truck|van|vehicle) insurance$`), []string{"expense.car_truck.insurance"}},
	{regexp.MustCompile(`^health insurance$`), []string{"personal.health_insurance"}},
	{regexp.MustCompile(`^(car|cars|truck|van|vehicle|auto)$`), []string{"expense.car_truck"}},
	{regexp.MustCompile(`^insurances?$`),
		[]string{"expense.insurance", "expense.car_truck.insurance", "personal.health_insurance"}},
}

var whoseKind = regexp.MustCompile(`^(the|my|our) `)

// ofKind are the rows of a kind of thing, where the question is about several that their lines tell apart.
func (q Asked) ofKind(name string) (rows []uuid.UUID) {
	if !q.readApart() {
		return nil
	}
	said := whoseKind.ReplaceAllString(wording.Fold(name), "")
	for _, k := range kinds {
		if !k.named.MatchString(said) {
			continue
		}
		for _, l := range q.Lines {
			c, ok := ontology.ScheduleC().ByID(l.Reads)
			if ok && slices.ContainsFunc(k.are, func(path string) bool {
				return c.Path == path || strings.HasPrefix(c.Path, path+".")
			}) {
				rows = append(rows, l.Transaction)
			}
		}
		return rows
	}
	return nil
}
