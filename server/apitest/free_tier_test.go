package apitest

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/partnertoken"
	"bizfin/server"
	"bizfin/store/storetest"
	"bizfin/worker"
)

// process does what a worker does with the events of the office.
func (o *office) process(freeMonthly int64) {
	o.t.Helper()
	queue, err := worker.ParseRedis(storetest.RedisURL(o.t))
	o.must(err)
	w := worker.New(worker.Config{Store: o.db, Redis: queue, FreeMonthly: freeMonthly, Now: o.clock.Now,
		Log: slog.New(slog.DiscardHandler)})
	o.must(w.Process(o.t.Context(), uuid.MustParse(o.organization)))
}

// release does what a relay does before it looks for events.
func (o *office) release(freeMonthly int64) {
	o.t.Helper()
	_, err := o.db.ReleaseLimited(o.t.Context(), o.clock.Now(), freeMonthly)
	o.must(err)
}

// openTier connects a new business of a tier.
func (a *api) openTier(tier string) *office {
	a.t.Helper()
	return a.connectTier("person-"+uuid.NewString(), "biz-"+uuid.NewString(), tier)
}

func (a *api) connectTier(sub, businessID, tier string) *office {
	a.t.Helper()
	return a.connectOne(sub, business(businessID, "owner"), tier)
}

// openNamed is a paid business that is called something.
func (a *api) openNamed(name string) *office {
	a.t.Helper()
	b := business("biz-"+uuid.NewString(), "owner")
	b.Name = name
	return a.connectOne("person-"+uuid.NewString(), b, "paid")
}

func (a *api) connectOne(sub string, b partnertoken.Business, tier string) *office {
	a.t.Helper()
	payload := partnertoken.Payload{Businesses: []partnertoken.Business{b}, BusinessID: &b.ID, Tier: tier}
	c := a.as(a.signPayload(sub, payload))
	connected := c.post("/auth/partner", nil).want(200)
	return &office{
		caller: c, person: connected.text("user_id"), organization: connected.text("organization_id"),
		source: connected.text("source_id"),
		path:   "/organizations/" + connected.text("organization_id"),
	}
}

// spread are n transactions on different days, the first the newest.
func spread(n int) []M {
	rows := make([]M, n)
	newest := time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC)
	for i := range rows {
		rows[i] = transaction(fmt.Sprintf("t%03d", i), "-12.99", newest.AddDate(0, 0, -i).Format(time.DateOnly),
			"ADOBE *CREATIVE CLOUD 408-536-6000 CA")
	}
	return rows
}

// wantProcessing compares what profile and report say about processing.
func (o *office) wantProcessing(limit any, used, queued, limited, pending int) {
	o.t.Helper()
	profile := o.get(o.path + "/profile").want(200)
	profile.wantAt(limit, "processing", "monthlyLimit")
	profile.wantAt(used, "processing", "usedThisMonth")
	profile.wantAt(pending, "processing", "pending")
	profile.wantAt(queued, "coverage", "transactions", "queued")
	profile.wantAt(limited, "coverage", "transactions", "limited")
	for _, report := range []string{"pnl", "cashflow"} {
		got := o.get(o.path + "/reports/" + report + "?startDate=2025-01-01&endDate=2026-12-31").want(200)
		got.wantAt(M{"queued": queued, "limited": limited}, "basis", "processing")
	}
}

// startTiers starts a server in the middle of a month.
func startTiers(t *testing.T, freeMonthly int64) *api {
	a := start(t, func(c *server.Config) { c.FreeMonthly = freeMonthly })
	a.clock.Add(time.Date(2026, 4, 15, 12, 0, 0, 0, time.UTC).Sub(a.clock.Now()))
	return a
}

// Releasing looks at all businesses, so the tests of limits run one after the other.

func TestTheFreeTierProcessesTheNewestOfTheMonth(t *testing.T) {
	for _, tier := range []string{"free", ""} {
		o := startTiers(t, 25).openTier(tier)
		account := o.uploadAccount("a")
		o.upload(account, spread(40)...)
		o.wantProcessing(25, 0, 40, 0, 1)
		o.process(25)
		o.wantProcessing(25, 25, 0, 15, 0)
		got := o.search("limit", "50").want(200)
		for i := range got.size("transactions") {
			want := "processed"
			if i >= 25 {
				want = "limited"
			}
			got.wantAt(want, "transactions", i, "processingStatus")
		}
		if got.size("transactions") != 40 {
			t.Errorf("%d of 40 rows are found", got.size("transactions"))
		}
		// Another account shares the limit.
		o.upload(o.uploadAccount("b"), transaction("late", "-1", "2026-04-01", "ADOBE"))
		o.process(25)
		o.wantProcessing(25, 25, 0, 16, 0)
		// A relay finds nothing to release in this month.
		o.release(25)
		o.wantProcessing(25, 25, 0, 16, 0)
	}
}

func TestTheLimitTakesTheNewestOfAllAccounts(t *testing.T) {
	o := startTiers(t, 10).openTier("free")
	var odd, even []M
	for i, row := range spread(36) {
		if i%2 == 0 {
			even = append(even, row)
		} else {
			odd = append(odd, row)
		}
	}
	o.upload(o.uploadAccount("a"), odd...)
	o.upload(o.uploadAccount("b"), even...)
	for processed := 10; processed <= 30; processed += 10 {
		o.process(10)
		o.wantProcessing(10, 10, 0, 36-processed, 0)
		got := o.search("limit", "50").want(200)
		for i := range 36 {
			want := "processed"
			if i >= processed {
				want = "limited"
			}
			got.wantAt(want, "transactions", i, "processingStatus")
		}
		o.clock.Add(31 * 24 * time.Hour)
		o = o.again()
		o.release(10)
	}
}

func TestANewMonthReleasesLimitedRows(t *testing.T) {
	o := startTiers(t, 25).openTier("free")
	o.upload(o.uploadAccount("a"), spread(60)...)
	o.process(25)
	o.wantProcessing(25, 25, 0, 35, 0)
	o.clock.Add(time.Date(2026, 4, 30, 23, 59, 59, 0, time.UTC).Sub(o.clock.Now()))
	o = o.again()
	o.release(25)
	o.wantProcessing(25, 25, 0, 35, 0)
	o.clock.Add(time.Second)
	o.release(25)
	o.wantProcessing(25, 0, 0, 35, 1)
	o.process(25)
	o.wantProcessing(25, 25, 0, 10, 0)
	o.clock.Add(31 * 24 * time.Hour)
	o = o.again()
	o.release(25)
	o.process(25)
	o.wantProcessing(25, 10, 0, 0, 0)
	o.release(25)
	o.wantProcessing(25, 10, 0, 0, 0)
}

// again signs a new token for the office, because the clock left the old one behind. It names no tier, which is what
// the last connection decides.
func (o *office) again() *office {
	o.t.Helper()
	businessID := o.scalar(`SELECT business_id FROM organizations WHERE id = $1`, o.organization)
	sub := o.scalar(`SELECT subject FROM identities WHERE person_id = $1`, o.person)
	fresh := *o
	fresh.caller = o.as(o.sign(sub, business(businessID, "owner")))
	return &fresh
}

func TestARaisedTierReleasesLimitedRows(t *testing.T) {
	a := startTiers(t, 25)
	sub, businessID := uuid.NewString(), uuid.NewString()
	o := a.connectTier(sub, businessID, "free")
	o.upload(o.uploadAccount("a"), spread(60)...)
	o.process(25)
	o.wantProcessing(25, 25, 0, 35, 0)
	o = a.connectTier(sub, businessID, "paid")
	o.release(25)
	o.process(25)
	profile := o.get(o.path + "/profile").want(200)
	profile.wantAt(nil, "processing", "monthlyLimit")
	profile.wantAt("paid", "processing", "tier")
	profile.wantAt(0, "coverage", "transactions", "limited")
	profile.wantAt(0, "processing", "pending")
}

func TestThePaidTierHasNoLimit(t *testing.T) {
	o := startTiers(t, 25).openTier("paid")
	o.upload(o.uploadAccount("a"), spread(60)...)
	o.process(25)
	o.wantProcessing(nil, 0, 0, 0, 0)
}

func TestARowThatWasProcessedDoesNotCountAgain(t *testing.T) {
	o := startTiers(t, 25).openTier("free")
	account := o.uploadAccount("a")
	o.upload(account, spread(20)...)
	o.process(25)
	changed := spread(20)
	for _, row := range changed {
		row["description"] = "SHELL OIL 57444212300 AUSTIN TX"
	}
	o.upload(account, changed...)
	o.process(25)
	o.wantProcessing(25, 20, 0, 0, 0)
}
