package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	client "bizfin.example/client"
	"bizfin/store"
)

// person answers the questions of a business: by an option, by words, and by the name of somebody else, so that two
// counterparties become one.
type person struct {
	*faults
	business *business
	answered map[uuid.UUID]answered // acknowledged as understood
	kept     map[uuid.UUID]answered // acknowledged as not understood: the question stays open, and the words are kept
}

type answered struct {
	text   string
	option string // empty for words
}

func (p *person) run(ctx context.Context, random *rand.Rand) {
	limit := 50
	for pause(ctx, random, 50, 500) {
		open, err := p.business.ListOutstandingIssuesWithResponse(ctx, p.business.id,
			&client.ListOutstandingIssuesParams{Limit: &limit})
		if err != nil || open.JSON200 == nil || len(open.JSON200.Issues) == 0 {
			continue
		}
		issue := open.JSON200.Issues[random.IntN(len(open.JSON200.Issues))]
		p.answer(issue, p.choose(ctx, random, issue))
	}
}

func (p *person) choose(ctx context.Context, random *rand.Rand, issue client.OutstandingIssue) answered {
	switch random.IntN(3) {
	case 0:
		if len(issue.Options) > 0 {
			option := issue.Options[random.IntN(len(issue.Options))]
			return answered{text: option.Label, option: option.Value}
		}
	case 1:
		found, err := p.business.SearchCounterpartiesWithResponse(ctx, p.business.id,
			&client.SearchCounterpartiesParams{})
		if err == nil && found.JSON200 != nil && len(found.JSON200.Counterparties) > 0 {
			p.counted.add("answers that name somebody")
			return answered{text: found.JSON200.Counterparties[random.IntN(len(found.JSON200.Counterparties))].Name}
		}
	}
	words := []string{"the rent of the workshop", "some of each", "ask Dana about it", "advertising"}
	return answered{text: words[random.IntN(len(words))]}
}

func (p *person) answer(issue client.OutstandingIssue, a answered) {
	body := client.Answer{Answer: a.text}
	if a.option != "" {
		body.SelectedOption = &a.option
	}
	answer, err := p.business.AnswerOutstandingIssueWithResponse(context.Background(), p.business.id, issue.Id, nil,
		body)
	switch {
	case err != nil:
		p.counted.add("answers without an answer")
	case answer.JSON200 != nil:
		p.counted.add("answers acknowledged: " + string(answer.JSON200.Status))
		if id := uuid.MustParse(issue.Id); answer.JSON200.Status == client.AnswerStatusStatusUnclear {
			p.kept[id] = a
		} else {
			p.answered[id] = a
		}
	case answer.StatusCode() >= 500:
		p.counted.add("answers failed")
	default:
		p.counted.add("answers refused: " + answer.Status()) // it closed meanwhile, or an earlier attempt was stored
	}
}

// tiers lets a business pay and stop paying, and pay in the end.
func (f *faults) tiers(ctx context.Context, random *rand.Rand) {
	params := &client.ConnectPartnerParams{XServicePartner: f.flow.partner.PartnerID}
	free, paid := f.as(f.raised.name, "free"), f.as(f.raised.name, "paid")
	for pause(ctx, random, 500, 4000) {
		for tier, c := range map[string]*client.ClientWithResponses{"free": free, "paid": paid} {
			if answer, err := c.ConnectPartnerWithResponse(ctx, params); err == nil && answer.JSON200 != nil {
				f.counted.add("tier set to " + tier)
			}
			pause(ctx, random, 200, 2000)
		}
	}
	f.wait("the business pays", time.Minute, func() bool {
		answer, err := paid.ConnectPartnerWithResponse(f.t.Context(), params)
		return err == nil && answer.JSON200 != nil
	})
}

// webhook sends the accounts of a person of the older flow, again and again; all names of a list say its number.
type webhook struct {
	*faults
	organization uuid.UUID
	lists        [][]string // by their numbers, the external ids
	possible     []late     // in effect: the last acknowledged, or attempts that may have come after it
	acknowledged bool       // one was
}

type late struct {
	list    int
	givenUp time.Time // zero for one that ended
}

func (f *faults) startWebhook() *webhook {
	mapping, err := f.db.LegacyLogin(f.t.Context(), time.Now(),
		store.LegacyLogin{PartnerID: f.flow.partner.PartnerID, Subject: "older", Email: "older@example.com"})
	if err != nil {
		f.t.Fatal(err)
	}
	return &webhook{faults: f, organization: mapping.OrganizationID}
}

func (w *webhook) run(ctx context.Context, random *rand.Rand) {
	sender := &http.Client{Timeout: w.flow.timeout}
	for pause(ctx, random, 50, 600) {
		number := len(w.lists)
		var list, accounts []string
		for id := range 6 {
			if id == 0 || random.IntN(3) > 0 {
				list = append(list, fmt.Sprint(id))
				accounts = append(accounts, fmt.Sprintf(`{"id":"%d","name":"list %d","currency":"USD"}`, id, number))
			}
		}
		w.lists = append(w.lists, list)
		w.possible = append(w.possible, late{list: number})
		w.send(sender, number, []byte(`{"type":"accounts.changed","sub":"older","payload":{"tier":"paid","accounts":[`+
			strings.Join(accounts, ",")+`]}}`))
	}
}

func (w *webhook) send(sender *http.Client, number int, body []byte) {
	mac := hmac.New(sha256.New, []byte(w.flow.partner.WebhookSecret))
	mac.Write(body)
	r, err := http.NewRequest(http.MethodPost, w.flow.partner.WebhookURL, bytes.NewReader(body))
	if err != nil {
		w.t.Error(err)
		return
	}
	r.Header.Set("x-service-signature", hex.EncodeToString(mac.Sum(nil)))
	r.Header.Set("Content-Type", "application/json")
	answer, err := sender.Do(r)
	if err != nil {
		w.counted.add("snapshots without an answer")
		if gaveUp(err) {
			w.possible[len(w.possible)-1].givenUp = time.Now()
		}
		return
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode == http.StatusOK:
		w.counted.add("snapshots acknowledged")
		w.acknowledged = true
		var kept []late
		for _, l := range w.possible {
			if !l.givenUp.IsZero() && time.Since(l.givenUp) < lateFor {
				kept = append(kept, l)
			}
		}
		w.possible = append(kept, late{list: number})
	case answer.StatusCode >= 500:
		w.counted.add("snapshots failed")
	default:
		w.t.Errorf("snapshot: %s", answer.Status)
	}
}

// compare holds the accounts of the person against the lists.
func (w *webhook) compare() {
	type account struct {
		ID     string `json:"external_id"`
		Name   string
		Active bool
	}
	var text []byte
	err := w.db.SQL().QueryRow(`
		SELECT coalesce(jsonb_agg(jsonb_build_object(
		         'external_id', external_id, 'name', name, 'active', status = 'active') ORDER BY external_id), '[]')
		FROM accounts
		WHERE organization_id = $1`, w.organization).Scan(&text)
	if err != nil {
		w.t.Fatal(err)
	}
	var stored []account
	if err := json.Unmarshal(text, &stored); err != nil {
		w.t.Fatal(err)
	}
	if len(stored) == 0 && !w.acknowledged { // none was, in all this time
		return
	}
	for _, possible := range w.possible {
		var have []string
		agree := true
		for _, a := range stored {
			if a.Active {
				have = append(have, a.ID)
				agree = agree && a.Name == fmt.Sprint("list ", possible.list)
			}
		}
		if agree && strings.Join(have, ",") == strings.Join(w.lists[possible.list], ",") {
			return
		}
	}
	w.t.Errorf("the accounts are %s, want those of one of the lists %v", text, w.possible)
}
