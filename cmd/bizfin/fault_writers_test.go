package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"time"

	"github.com/google/uuid"

	client "bizfin.example/client"
	"bizfin/internal/money"
)

// content is what a partner says of a transaction.
type content struct {
	cents       money.Amount
	date        string
	description string
}

// attempt is a content that was sent. One that nobody waited for any more may take effect late, after a newer one.
type attempt struct {
	content
	givenUp time.Time // zero for one that ended
}

// lateFor is how long what was given up may still take effect.
const lateFor = 30 * time.Second

// modelRow is what may be stored of a transaction: what was acknowledged last, or attempts that may have come after it.
type modelRow struct {
	id           uuid.UUID
	possible     []attempt
	acknowledged bool
	deletion     deletion
}

type deletion int

const (
	notDeleted deletion = iota
	perhapsDeleted
	isDeleted
)

// writer uploads rows that are its own, one batch after the other, and deletes some.
type writer struct {
	*faults
	business *business
	account  uuid.UUID
	prefix   string
	random   *rand.Rand
	rows     map[string]*modelRow
	known    []string // external ids of acknowledged rows
}

var faultLines = []string{
	"GUSTO DES:NET ID:6SEMJR00KPQ INDN:JUNIPER BIKES", "ADOBE *CREATIVE CLOUD 408-536-6000 CA",
	"SHELL OIL 57444212300 AUSTIN TX",
	"ZELLE PAYMENT TO DANA MERCER JPM99abcd", "QUORVANE HOLDINGS 4471", "CHECK 1044", "BLANTVIK TRADING LLC",
	"MONTHLY SERVICE FEE", "VENMO PAYMENT TO ORIN VASK", "TRASKEL & SONS 0042", "AMAZON MKTPLACE PMTS",
	"PELLWICK STUDIO", "ONLINE TRANSFER TO SAVINGS XXXX1234", "HOME DEPOT 4412 AUSTIN TX",
}

func (w *writer) run(ctx context.Context) {
	for pause(ctx, w.random, 5, 60) {
		if w.business.deletes && len(w.known) > 0 && w.random.IntN(6) == 0 {
			w.delete()
		} else {
			w.upload()
		}
	}
	// On a busy machine faults may leave no moment in which anything is acknowledged: then it is once they are over.
	late, cancel := context.WithTimeout(w.t.Context(), processedIn)
	defer cancel()
	for len(w.known) == 0 && pause(late, w.random, 50, 200) {
		w.upload()
	}
}

// upload sends new rows and changed ones. What is not acknowledged may have been stored or not.
func (w *writer) upload() {
	batch := map[string]content{}
	for range 1 + w.random.IntN(40) {
		number := len(w.rows) // a new one
		if number > 0 && w.random.IntN(3) == 0 {
			number = w.random.IntN(number)
		}
		id := fmt.Sprintf("%s-%d", w.prefix, number)
		known, ok := w.rows[id]
		if !ok {
			known = &modelRow{}
			w.rows[id] = known
		}
		if _, twice := batch[id]; !twice {
			batch[id] = w.content(known)
			known.possible = append(known.possible, attempt{content: batch[id]})
		}
	}
	var body client.TransactionUpload
	for id, c := range batch {
		body.Transactions = append(body.Transactions, client.UploadedTransaction{
			ExternalId: id, Amount: json.Number(c.cents.String()), Date: c.date, Description: c.description,
		})
	}
	answer, err := w.business.UploadTransactionsWithResponse(context.Background(), w.business.id, w.account, nil, body)
	switch {
	case err != nil:
		w.counted.add("uploads without an answer")
		if gaveUp(err) {
			for id := range batch {
				last := &w.rows[id].possible[len(w.rows[id].possible)-1]
				last.givenUp = time.Now()
			}
		}
	case answer.JSON200 != nil:
		w.counted.add("uploads acknowledged")
		for _, row := range answer.JSON200.Transactions {
			w.acknowledge(row, batch[row.ExternalId])
		}
	case answer.StatusCode() >= 500:
		w.counted.add("uploads failed")
	default:
		w.t.Errorf("upload: %s %s", answer.Status(), answer.Body)
	}
}

// content is new but for what the business does not change: the description and the direction, or all but the day.
func (w *writer) content(known *modelRow) content {
	c := content{
		cents:       money.Amount(-1 - w.random.IntN(500_00)),
		date:        fmt.Sprintf("2026-%02d-%02d", 1+w.random.IntN(4), 1+w.random.IntN(28)),
		description: faultLines[w.random.IntN(len(faultLines))],
	}
	if w.business.rewords && w.random.IntN(10) == 0 {
		c.cents = -c.cents
	}
	if len(known.possible) > 0 && !w.business.rewords {
		c.description = known.possible[0].description
	}
	if len(known.possible) > 0 && !w.business.deletes {
		c.cents = known.possible[0].cents
	}
	return c
}

func (w *writer) acknowledge(answered client.UploadedRecord, c content) {
	w.counted.add("rows acknowledged")
	row := w.rows[answered.ExternalId]
	if row.acknowledged && row.id != answered.Id {
		w.t.Errorf("%s got another id", answered.ExternalId)
	}
	if !row.acknowledged {
		w.known = append(w.known, answered.ExternalId)
	}
	late := slices.DeleteFunc(row.possible, func(a attempt) bool {
		return a.givenUp.IsZero() || time.Since(a.givenUp) > lateFor
	})
	row.id, row.acknowledged, row.possible = answered.Id, true, append(late, attempt{content: c})
}

func (w *writer) delete() {
	row := w.rows[w.known[w.random.IntN(len(w.known))]]
	row.deletion = max(row.deletion, perhapsDeleted)
	answer, err := w.business.DeleteTransactionWithResponse(context.Background(), w.business.id, row.id, nil)
	switch {
	case err != nil:
		w.counted.add("deletes without an answer")
	case answer.JSON200 != nil:
		w.counted.add("deletes acknowledged")
		row.deletion = isDeleted
	case answer.StatusCode() >= 500:
		w.counted.add("deletes failed")
	default:
		w.t.Errorf("delete: %s %s", answer.Status(), answer.Body)
	}
}

// gaveUp tells a request that was given up from one whose connection ended.
func gaveUp(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}
