package server

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"bizfin/server/limit"
	"bizfin/store"
)

// Rules are what one partner, one organization and one agent's token may do.
type Rules struct {
	Partner, Organization, Agent limit.Rule
}

// UsualRules hold where a partner has none of its own. They are far above what one that loads its history sends, and
// stop who sends without end; shares keep the others served meanwhile (intake.go).
var UsualRules = Rules{
	Partner:      limit.Rule{PerSecond: 10_000, InFlight: 1024},
	Organization: limit.Rule{PerSecond: 5_000, InFlight: 512},
	Agent:        limit.Rule{PerSecond: 2_000, InFlight: 512},
}

// ownRules are those of the partners that have some of their own, read again every few seconds by whoever asks, who
// does not wait: a database that hangs leaves them as they were.
type ownRules struct {
	usual   Rules
	read    func(context.Context) ([]store.PartnerLimits, error)
	log     *slog.Logger
	mu      sync.Mutex
	of      map[string]store.PartnerLimits
	readAt  time.Time
	reading bool
}

const rulesAge = 2 * time.Second

// find returns the rules of a partner, of its requests and of those of each of its organizations.
func (o *ownRules) find(partner string) Rules {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.reading && time.Since(o.readAt) > rulesAge {
		o.reading = true
		go o.refresh()
	}
	rules, own := o.usual, o.of[partner]
	replace(&rules.Partner.PerSecond, own.PerSecond)
	replace(&rules.Partner.InFlight, own.InFlight)
	replace(&rules.Organization.PerSecond, own.OrganizationPerSecond)
	replace(&rules.Organization.InFlight, own.OrganizationInFlight)
	return rules
}

func replace(usual, own *int) {
	if own != nil {
		*usual = *own
	}
}

func (o *ownRules) refresh() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	list, err := o.read(ctx)
	if err != nil {
		o.log.Warn("the limits of partners could not be read", slog.Any("error", err))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reading, o.readAt = false, time.Now()
	if err != nil {
		return
	}
	o.of = make(map[string]store.PartnerLimits, len(list))
	for _, own := range list {
		o.of[own.PartnerID] = own
	}
}
