package limit

import (
	"strings"
	"testing"
	"time"
)

func TestARefusalNamesItsPeriodInWords(t *testing.T) {
	t.Parallel()
	for period, want := range map[time.Duration]string{
		0: "30 a second.", time.Minute: "30 a minute.", time.Hour: "30 an hour.", 90 * time.Second: "30 in 1m30s.",
	} {
		refusal := Refusal{Subject: Subject{Kind: Address, Rule: Rule{PerSecond: 30, Per: period}}}
		if said := refusal.Error(); !strings.Contains(said, want) {
			t.Errorf("%s: %s", period, said)
		}
	}
}
