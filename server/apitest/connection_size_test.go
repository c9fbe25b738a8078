package apitest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"bizfin/internal/partnertoken"
)

// connects sends a POST with a body to the connection endpoint, which takes none.
func (a *api) connects(token string, body io.Reader, length int64) answer {
	a.t.Helper()
	r, err := http.NewRequest("POST", a.url+"/api/v1/auth/partner", body)
	if err != nil {
		a.t.Fatal(err)
	}
	r.ContentLength = length
	r.Header.Set("X-Service-Partner", a.partner)
	r.Header.Set("Authorization", "Bearer "+token)
	return (&caller{api: a}).do(r)
}

func TestALargeBodyOfAConnectionIsRefusedHoweverItIsSent(t *testing.T) {
	t.Parallel()
	a := shared(t)
	token := a.sign("ana", business(name("b"), "owner"))
	const limit = 1 << 20
	for _, length := range []int64{limit, limit + 1} {
		for _, announced := range []int64{length, -1} {
			want := 200
			if length > limit {
				want = 413
			}
			got := a.connects(token, io.LimitReader(strings.NewReader(strings.Repeat(" ", limit+1)), length), announced)
			if got.status != want {
				t.Errorf("a body of %d bytes, announced as %d: %d %s, want %d", length, announced, got.status, got.body,
					want)
			}
		}
	}
}

func TestATokenThatIsTooLongForItsListSaysSo(t *testing.T) {
	t.Parallel()
	a := shared(t)
	list := func(n, letters int) []partnertoken.Business {
		var all []partnertoken.Business
		for i := range n {
			all = append(all, partnertoken.Business{ID: fmt.Sprintf("%s-%d", name("b"), i),
				Name: strings.Repeat("n", letters), Role: "member"})
		}
		return all
	}
	long := a.sign("ana", list(500, 120)...)
	a.as(long).get("/organizations/" + uuid.NewString() + "/profile").want(401)
	got := a.connects(long, nil, 0).want(431)
	if message := got.text("error"); !strings.Contains(message, "64 KiB") || strings.Contains(message, "invalid") {
		t.Errorf("it says %q", message)
	}
	if got := a.connects(a.sign("ana", list(300, 60)...), nil, 0).want(200); got.size("organizations") != 300 {
		t.Errorf("%d businesses are connected", got.size("organizations"))
	}
}
