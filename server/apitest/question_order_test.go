package apitest

import (
	"path/filepath"
	"slices"
	"testing"
)

// listed are the ids of the questions that are open, in their order.
func (o *office) listed() (ids []string) {
	o.t.Helper()
	page := o.get(o.path + "/outstanding-issues?limit=50").want(200)
	for i := range page.size("issues") {
		ids = append(ids, page.text("issues", i, "id"))
	}
	return ids
}

// An answer that is taken back leaves the list as it was before it: the same questions are open, in the same order,
// whether it said something of all rows or of one.
func TestTheListIsAsBeforeOnceAnAnswerIsTakenBack(t *testing.T) {
	t.Parallel()
	b := openBook(t, filepath.Join(labelled, "fresh", "saltgrass-web-studio"))
	b.uploadRows("0", "9")
	before := b.listed()
	for _, about := range []string{"used at home, too", "people for", "cash and checks"} {
		question := b.questionAbout(about).id
		for _, words := range []string{"2: asset.reimbursable", "asset.reimbursable"} {
			b.answerIssue(question, words, nil).want(200)
			b.process(0)
			b.answerIssue(question, "undo", nil).want(200)
			b.process(0)
			if after := b.listed(); !slices.Equal(after, before) {
				t.Errorf("%q to %q was taken back: %v, want %v", words, about, after, before)
			}
		}
	}
}
