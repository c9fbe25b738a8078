package worker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/answers"
	"bizfin/store"
	"bizfin/store/storetest"
	"bizfin/worker"
)

// What has ended long ago goes, and is counted. What is not over, what is an operator's, what somebody answered, and
// what ended a moment ago stays.
func TestWhatHasEndedIsRemovedAfterAWhile(t *testing.T) {
	s := open(t, "paid")
	long, now := noon.Add(-40*24*time.Hour), noon.Add(-time.Hour)
	snapshot := func(name, state string, ended any) {
		execute(t, `
			INSERT INTO account_snapshots (partner_id, subject, payload, state, next_at, received_at, ended_at)
			VALUES ($1, $2, CASE WHEN $3 IN ('pending', 'dead') THEN '\x00'::bytea END, $3, 'infinity', $5, $4)`,
			s.partner, name, state, ended, long)
	}
	snapshot("gone", "applied", long)
	snapshot("gone", "skipped", long)
	snapshot("dead", "dead", long)
	snapshot("new", "applied", now)
	snapshot("waiting", "pending", nil)
	token := func(name string, expires time.Time, revoked any) {
		execute(t, `INSERT INTO oauth_tokens (hash, person_id, scopes, created_at, expires_at, revoked_at)
			VALUES (($1 || $2)::text::bytea, $3, '{}', $4, $5, $6)`, name, uuid.NewString(), s.person, long, expires,
			revoked)
	}
	token("gone", long, nil)
	token("gone", noon.Add(time.Hour), long)
	token("stays", now, nil)
	token("stays", noon.Add(time.Hour), nil)
	question := func(name, status string, answer, ended any) uuid.UUID {
		id := uuid.New()
		execute(t, `
			INSERT INTO outstanding_issues (organization_id, id, object_type, object_id, kind, question, why,
			  impact_amount,
			  impact_currency, transaction_count, options, allows_free_text, status, answer, created_at, ended_at)
			VALUES ($1, $2, 'company', 'x', 'k', $3, 'w', 0, 'USD', 0, '[]', true, $4, $5, $6, $7)`,
			s.ID, id, name, status, answer, long, ended)
		return id
	}
	question("gone", store.IssueClosed, nil, long)
	question("open", store.IssueOpen, nil, nil)
	question("answered", store.IssueAnswered, "yes", long)
	question("new", store.IssueClosed, nil, now)
	withRow := question("with a row", store.IssueClosed, nil, long)
	s.upload(row(1, -100, "ONE"))
	execute(t, `INSERT INTO issue_transactions (organization_id, transaction_id, issue_id)
		SELECT organization_id, id, $2 FROM transactions WHERE organization_id = $1`, s.ID, withRow)
	t.Cleanup(func() { execute(t, `DELETE FROM account_snapshots WHERE partner_id = $1`, s.partner) })

	c := config(t, frozen)
	c.Metrics = worker.NewMetrics()
	round := func(c worker.Config) {
		execute(t, `UPDATE retention SET next_at = now()`)
		must(t, worker.New(c).RemoveEnded(t.Context()))
	}
	names := func() string {
		var all string
		must(t, storetest.DB(t).SQL().QueryRow(`
			SELECT concat_ws('; ',
			  (SELECT string_agg(subject, ', ' ORDER BY subject) FROM account_snapshots WHERE partner_id = $1),
			  (SELECT string_agg(substr(convert_from(hash, 'UTF8'), 1, 5), ', ') FROM oauth_tokens
			  WHERE person_id = $2),
			  (SELECT string_agg(question, ', ' ORDER BY question) FROM outstanding_issues WHERE organization_id = $3))`,
			s.partner, s.person, s.ID).Scan(&all))
		return all
	}
	before := names()
	round(c)
	if got := names(); got != before {
		t.Errorf("where all is kept for ever, of %s there are left %s", before, got)
	}
	c.Keep = worker.Keep{Ended: 30 * 24 * time.Hour, Questions: 30 * 24 * time.Hour}
	must(t, worker.New(c).RemoveEnded(t.Context()))
	if got := names(); got != before {
		t.Errorf("a second round within the minute left %s", got)
	}
	round(c)
	want := "dead, new, waiting; stays, stays; answered, new, open, with a row"
	if got := names(); got != want {
		t.Errorf("there are left %s, want %s", got, want)
	}
	counted := numbers(t, c.Metrics)
	for kind, atLeast := range map[string]float64{"snapshots": 2, "tokens": 2, "questions": 1} {
		if got := counted["bizfin_removed_total kind="+kind]; got < atLeast {
			t.Errorf("%v %s are counted, want %v", got, kind, atLeast)
		}
	}
}

// A question goes after a while that somebody answered, where the setting says so. What the answer decided and its
// words stay.
func TestAnsweredQuestionsGoAndTheirAnswersStay(t *testing.T) {
	s := open(t, "paid")
	c := config(t, frozen)
	c.Metrics = worker.NewMetrics()
	s.decided(row(1, -5000, "QUORVANE HOLDINGS"))
	must(t, storetest.Answer(s, t.Context(), noon, s.questions()[0].ID, store.Answer{Person: s.person, Text: "Software",
		Meaning: answers.Meaning{CategoryID: 32901}}))
	decided := func() string {
		var said string
		must(t, storetest.DB(t).SQL().QueryRow(`
			SELECT concat_ws('; ', (SELECT count(*) FROM outstanding_issues WHERE organization_id = $1),
			  (SELECT string_agg(answer || ' ' || status, ', ') FROM answers WHERE organization_id = $1),
			  (SELECT string_agg(category_source || ' ' || category_reason, ', ') FROM transactions WHERE organization_id = $1))`,
			s.ID).Scan(&said))
		return said
	}
	execute(t, `UPDATE outstanding_issues SET ended_at = $2 WHERE organization_id = $1`, s.ID,
		noon.Add(-60*24*time.Hour))
	before := decided()
	round := func(keep worker.Keep) {
		c.Keep = keep
		execute(t, `UPDATE retention SET next_at = now()`)
		must(t, worker.New(c).RemoveEnded(t.Context()))
	}
	round(worker.Keep{})
	if got := decided(); got != before || !strings.HasPrefix(got, "1; ") {
		t.Errorf("where all is kept for ever, of %q there is left %q", before, got)
	}
	round(worker.Keep{Answered: 30 * 24 * time.Hour})
	if got := decided(); got != "0"+before[1:] {
		t.Errorf("of %q there is left %q", before, got)
	}
	given, err := s.AnswersOfTransaction(t.Context(), s.only().ID)
	must(t, err)
	if len(given) != 1 {
		t.Errorf("the row names %d answers", len(given))
	}
}

// A question that closed by itself goes with those that were answered where somebody had spoken of it: what was said
// names it. It keeps no other question of the business.
func TestAQuestionThatWasSpokenOfKeepsNoOther(t *testing.T) {
	s := open(t, "paid")
	c := config(t, frozen)
	s.decided(row(1, -5000, "QUORVANE HOLDINGS"), row(2, -7000, "BRELLOW PARTNERS"))
	asked := s.questions()
	if len(asked) != 2 {
		t.Fatalf("there are %d questions, want 2", len(asked))
	}
	must(t, storetest.Answer(s, t.Context(), noon, asked[0].ID, store.Answer{Person: s.person, Text: "well",
		Meaning: answers.Meaning{Unclear: true}}))
	execute(t, `DELETE FROM issue_transactions WHERE organization_id = $1`, s.ID)
	execute(t, `UPDATE outstanding_issues SET status = 'closed', ended_at = $2 WHERE organization_id = $1`, s.ID,
		noon.Add(-60*24*time.Hour))
	left := func() (n int) {
		must(t, storetest.DB(t).SQL().QueryRow(`SELECT count(*) FROM outstanding_issues WHERE organization_id = $1`,
			s.ID).Scan(&n))
		return n
	}
	for _, round := range []struct {
		keep worker.Keep
		left int
	}{
		{worker.Keep{Questions: 30 * 24 * time.Hour}, 1},
		{worker.Keep{Answered: 30 * 24 * time.Hour}, 0},
	} {
		c.Keep = round.keep
		execute(t, `UPDATE retention SET next_at = now()`)
		must(t, worker.New(c).RemoveEnded(t.Context()))
		if got := left(); got != round.left {
			t.Errorf("with %+v there are left %d questions, want %d", round.keep, got, round.left)
		}
	}
}

// Sign-ins go an hour after their time, whatever the settings say, and programs that nobody let in a day after they
// came. What people granted goes when it has ended for a while, with all its tokens.
func TestSignInsThatEndedAreRemoved(t *testing.T) {
	s := open(t, "paid")
	const day = 24 * time.Hour
	name := uuid.NewString()
	for state, ended := range map[string]time.Time{"over": noon.Add(-61 * time.Minute),
		"waits": noon.Add(time.Minute)} {
		execute(t, `
			INSERT INTO agent_requests (hash, browser_hash, stage, client_id, client_name, registered, redirect_uri,
			  state,
			  challenge, scopes, resource, created_at, expires_at)
			VALUES (convert_to($1, 'UTF8'), '', 'begun', 'c', $2, true, 'r', $3, 'c', '{}', 'r', $4, $4)`,
			name+state, name, state, ended)
	}
	used := noon.Add(-359 * day)
	for state, at := range map[string]struct{ came, used *time.Time }{
		"new": {ptr(noon.Add(-23 * time.Hour)), nil}, "unused": {ptr(noon.Add(-25 * time.Hour)), nil},
		"used": {ptr(noon.Add(-400 * day)), &used}, "forgotten": {ptr(noon.Add(-400 * day)), ptr(noon.Add(-362 * day))},
	} {
		execute(t, `INSERT INTO agent_clients (id, name, redirect_uris, created_at, used_at) VALUES ($1, $2, '{}', $3, $4)`,
			name+state, state, at.came, at.used)
	}
	for state, ended := range map[string]time.Time{"long": noon.Add(-31 * day), "lately": noon.Add(-29 * day),
		"lives": noon.Add(day)} {
		execute(t, `
			WITH given AS (
			  INSERT INTO agent_grants (id, kind, person_id, partner_id, client_name, resource, scopes, role,
			  created_at, used_at, expires_at)
			  VALUES (gen_random_uuid(), 'exchange', $1, $2, $3, 'r', '{}', 'owner', $4, $4, $4)
			  RETURNING id),
			token AS (
			  INSERT INTO agent_tokens (hash, grant_id, created_at, expires_at)
			  SELECT convert_to($5 || $3, 'UTF8'), id, $4, $4 FROM given)
			INSERT INTO agent_grant_organizations (organization_id, grant_id)
			SELECT $6, id FROM given`,
			s.person, s.partner, state, ended, name, s.ID)
	}
	left := func() string {
		var all string
		must(t, storetest.DB(t).SQL().QueryRow(`
			SELECT concat_ws('; ',
			  (SELECT string_agg(state, ', ' ORDER BY state) FROM agent_requests WHERE client_name = $1),
			  (SELECT string_agg(name, ', ' ORDER BY name) FROM agent_clients WHERE id LIKE $1 || '%'),
			  (SELECT string_agg(client_name, ', ' ORDER BY client_name) FROM agent_grants WHERE person_id = $2),
			  (SELECT count(*) FROM agent_tokens WHERE convert_from(hash, 'UTF8') LIKE $1 || '%'),
			  (SELECT count(*) FROM agent_grant_organizations WHERE organization_id = $3))`,
			name, s.person, s.ID).Scan(&all))
		return all
	}
	c := config(t, frozen)
	c.Metrics = worker.NewMetrics()
	for _, round := range []struct {
		keep time.Duration
		want string
	}{
		{0, "waits; new, used; lately, lives, long; 3; 3"},
		{30 * day, "waits; new, used; lately, lives; 2; 2"},
	} {
		c.Keep = worker.Keep{Ended: round.keep}
		execute(t, `UPDATE retention SET next_at = now()`)
		must(t, worker.New(c).RemoveEnded(t.Context()))
		if got := left(); got != round.want {
			t.Errorf("kept for %v there are left %s, want %s", round.keep, got, round.want)
		}
	}
}

func ptr(at time.Time) *time.Time { return &at }

// What a deleted transaction held goes after a while, and that it is deleted stays: an upload of it does not bring it
// back. A business that nobody is in goes after a while, where the setting says so. The record of acts goes too, but
// never what is newer than 30 days.
func TestWhatNobodyCanReadIsRemovedAfterAWhile(t *testing.T) {
	s, gone := open(t, "paid"), open(t, "paid")
	long := noon.Add(-400 * 24 * time.Hour)
	s.upload(row(1, -100, "DELETED LONG AGO"), row(2, -100, "DELETED NOW"), row(3, -100, "THERE"))
	execute(t, `UPDATE transactions SET deleted_at = $2 WHERE organization_id = $1 AND description = 'DELETED LONG AGO'`, s.ID, long)
	execute(t, `UPDATE transactions SET deleted_at = $2 WHERE organization_id = $1 AND description = 'DELETED NOW'`,
		s.ID, noon)
	execute(t, `UPDATE memberships SET revoked_at = $2 WHERE organization_id = $1`, gone.ID, long)
	for _, at := range []time.Time{long, time.Now().Add(-time.Hour)} {
		execute(t, `INSERT INTO audit (at, action, actor, organization_id) VALUES ($2, 'retention', 'service', $1)`,
			s.ID, at)
	}
	c := config(t, frozen)
	c.Metrics = worker.NewMetrics()
	round := func(keep worker.Keep) {
		c.Keep = keep
		execute(t, `UPDATE retention SET next_at = now()`)
		must(t, worker.New(c).RemoveEnded(t.Context()))
	}
	left := func() string {
		var all string
		must(t, storetest.DB(t).SQL().QueryRow(`
			SELECT concat_ws('; ',
			  (SELECT string_agg(description, ', ' ORDER BY description) FROM transactions WHERE organization_id = $1),
			  (SELECT count(*) FROM organizations WHERE id = $2),
			  (SELECT count(*) FROM audit WHERE organization_id = $1 AND action = 'retention'))`, s.ID,
			gone.ID).Scan(&all))
		return all
	}
	round(worker.Keep{})
	if got := left(); got != "DELETED LONG AGO, DELETED NOW, THERE; 1; 2" {
		t.Errorf("where all is kept for ever there are left %s", got)
	}
	month := 30 * 24 * time.Hour
	round(worker.Keep{Deleted: month, Disconnected: month, Audit: time.Minute})
	if got := left(); got != ", DELETED NOW, THERE; 0; 1" {
		t.Errorf("there are left %s", got)
	}
	begun := open(t, "paid")
	execute(t, `INSERT INTO erasures (kind, id, began_at) VALUES ('organization', $1, now() - interval '1 hour')`,
		begun.ID)
	round(worker.Keep{})
	if n := begun.count(`SELECT count(*) FROM organizations WHERE id = $1`); n != 0 {
		t.Error("an erasure that was begun is not gone on with")
	}
	ended := open(t, "paid")
	execute(t, `UPDATE partners SET erasing_at = now() - interval '1 hour' WHERE id = $1`, ended.partner)
	round(worker.Keep{})
	if n := ended.count(`SELECT count(*) FROM organizations WHERE id = $1`) + ended.count(
		`SELECT count(*) FROM partners WHERE $1::uuid IS NOT NULL AND id = $2 AND erasing_at IS NOT NULL`, ended.partner); n != 0 {
		t.Error("the end of a partner that was begun is not gone on with")
	}
	s.upload(row(1, -100, "DELETED LONG AGO"))
	if n := s.count(`SELECT count(*) FROM transactions WHERE organization_id = $1 AND deleted_at IS NOT NULL`); n != 2 {
		t.Errorf("after an upload %d are deleted, want 2", n)
	}
}

// An event that has nothing to process does not stay.
func TestAnEventWithoutRowsEnds(t *testing.T) {
	s := open(t, "paid")
	execute(t, `INSERT INTO pending_work (organization_id, account_id, next_at) VALUES ($1, $2, now())`, s.ID,
		s.account)
	run(t, config(t, nil))
	eventually(t, "the event ends", func() bool { return s.events() == 0 })
}

// A text that a row had before goes from its list; the others stay in it, in their order, and searches find by each
// row's own.
func TestOldTextsOfRowsAreRemoved(t *testing.T) {
	s, w := open(t, "paid"), worker.New(config(t, frozen))
	var rows []store.TransactionUpload
	for i := range 40 {
		rows = append(rows, row(i, -100, fmt.Sprintf("BEFORE %d", i)))
	}
	must(t, w.ProcessEvent(t.Context(), s.upload(rows...)))
	for i := range 10 {
		rows[4*i].Description = fmt.Sprintf("AFTER %d", i)
	}
	must(t, w.ProcessEvent(t.Context(), s.upload(rows...)))
	texts := func(with string) int {
		return s.count(`SELECT count(*) FROM transaction_words, unnest(texts) t WHERE organization_id = $1 AND t LIKE '%' || $2 || '%'`, with)
	}
	if texts("before") != 40 || texts("after") != 10 {
		t.Fatalf("%d and %d texts before, want 40 and 10", texts("before"), texts("after"))
	}
	eventually(t, "all lists are looked through", func() bool {
		execute(t, `UPDATE retention SET next_at = now()`)
		must(t, w.RemoveEnded(t.Context()))
		return texts("before") == 30
	})
	if texts("after") != 10 {
		t.Errorf("%d texts that rows have are left, want 10", texts("after"))
	}
	if n := s.count(`
		SELECT count(*)
		FROM transactions t
		WHERE organization_id = $1
		  AND NOT EXISTS (
		    SELECT
		    FROM transaction_words w, unnest(w.transactions, w.texts) u (id, text)
		    WHERE w.organization_id = t.organization_id
		      AND u.id = t.id
		      AND u.text LIKE '%' || lower(t.description) || '%')`); n != 0 {
		t.Errorf("%d rows are in no list with the text they have", n)
	}
}

// Workers agree what is due, whatever their own clocks say: they ask the database's.
func TestAWorkerGoesByTheDatabasesClock(t *testing.T) {
	s, c := open(t, "paid"), config(t, nil)
	must(t, worker.New(c).ProcessEvent(t.Context(), s.upload(row(1, -100, "ONE"))))
	if n := s.count(`SELECT count(*) FROM transactions WHERE organization_id = $1 AND updated_at BETWEEN now() - interval '1 minute' AND now()`); n != 1 {
		t.Error("what a worker stored is not stamped by the database's clock")
	}
	run(t, c)
	eventually(t, "the month is settled and summed", func() bool {
		return s.count(`SELECT count(*) FROM report_dirty WHERE organization_id = $1`) == 0
	})
}
