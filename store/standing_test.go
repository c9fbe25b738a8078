package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/store"
)

// A business that calls an account a trust account, and then not, again and again, starts from its first row each time.
func TestABusinessThatIsDecidedAnewAgainAndAgainKeepsNoOtherWaiting(t *testing.T) {
	db := alone(t)
	restless, patient := furnished(t), furnished(t)
	now := noon
	name := map[bool]string{false: "Operating", true: "IOLTA Trust Account"}
	rename := func(of tenant, held bool) {
		_, err := of.UploadAccounts(t.Context(), now, of.source, []store.AccountUpload{{ExternalID: "a",
			Name: name[held], Type: "depository", Currency: "USD"}})
		must(t, err)
	}
	rename(restless, true)
	rename(patient, true)
	waits := func(of uuid.UUID) bool {
		return count(t, `SELECT count(*) FROM standing_due WHERE organization_id = $1`, of) > 0
	}
	for turns := range 20 {
		if !waits(patient.ID) {
			return
		}
		_, err := db.Restand(t.Context(), now)
		must(t, err)
		now = now.Add(time.Second)
		rename(restless, turns%2 == 1)
	}
	t.Error("it still waits after twenty turns")
}
