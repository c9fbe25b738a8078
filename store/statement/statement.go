// Package statement has what statements share that are put together when they are asked: their arguments and
// conditions, and how their texts are filled in. It knows no database.
package statement

import (
	"io/fs"
	"strconv"
	"strings"
	"text/template"

	"github.com/google/uuid"
)

// DateField is one of the dates of a transaction: its column.
type DateField string

// The authorized date stands in nowhere: a row without one counts by its processed date, which is its primary date.
const (
	Primary   DateField = "primary_date"
	Processed DateField = "processed_date"
)

// Arguments are the values of a statement, in the order of their placeholders.
type Arguments []any

// Add takes a value and returns its placeholder.
func (a *Arguments) Add(value any) string {
	*a = append(*a, value)
	return "$" + strconv.Itoa(len(*a))
}

// Where collects conditions; several of one statement share their arguments.
type Where struct {
	Args       *Arguments
	conditions []string
}

// And adds a condition; each ? in it stands for the next value.
func (w *Where) And(condition string, values ...any) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(condition, "?")
		b.WriteString(before)
		if !found {
			break
		}
		b.WriteString(w.Args.Add(values[0]))
		values, condition = values[1:], after
	}
	w.conditions = append(w.conditions, b.String())
}

// String is what stands behind WHERE.
func (w Where) String() string { return strings.Join(w.conditions, "\n  AND ") }

// Texts reads the templates of a package's statements. A name that nobody gave a value ends the filling in, instead of
// becoming a part of the statement.
func Texts(files fs.FS) *template.Template {
	return template.Must(template.New("").Option("missingkey=error").ParseFS(files, "*.sql.tmpl"))
}

// Filled fills in the template of a name. Templates and values are the program's own, so one that does not fit the
// other is a mistake in it.
func Filled(texts *template.Template, name string, values any) string {
	var b strings.Builder
	if err := texts.ExecuteTemplate(&b, name, values); err != nil {
		panic(err)
	}
	return b.String()
}

// BusinessID is the id of the business in a statement of OfBusiness.
const BusinessID = "business.id"

const (
	beforeAnswer = "SELECT answer.*\nFROM (SELECT $1::uuid AS id OFFSET 0) business\nCROSS JOIN LATERAL (\n"
	afterAnswer  = ") answer\n"
)

// OfBusiness hides the business from the planner, which is to plan for an average one, by one query for all scans of a
// statement that has many. Each (SELECT $1::uuid) would be a query of its own, which is made ready at each request
// whether its scan is run or not.
func OfBusiness(query string) string { return beforeAnswer + query + afterAnswer }

// OnSpread is a statement as Citus wants it, which finds the machine of a business by a comparison with $1 itself.
func OnSpread(query string) string {
	before, answer, found := strings.Cut(query, beforeAnswer)
	if !found {
		return query
	}
	return before + strings.ReplaceAll(strings.TrimSuffix(answer, afterAnswer), BusinessID, "$1::uuid")
}

// LikePattern makes a LIKE pattern that finds word anywhere and reads its characters literally.
func LikePattern(word string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(word) + "%"
}

// UUIDs makes an array argument, of which nothing needs quotes.
func UUIDs(ids []uuid.UUID) string {
	out := make([]byte, 1, 2+37*len(ids))
	out[0] = '{'
	for i, id := range ids {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, id.String()...)
	}
	return string(append(out, '}'))
}
