package seal_test

import (
	"bytes"
	"testing"

	"bizfin/internal/seal"
)

// Each key makes a MAC of its own of a text, always the same, whatever keys are beside it.
func TestMACsAreOfTheKeyAndTheText(t *testing.T) {
	t.Parallel()
	one, two := seal.NewKey(), seal.NewKey()
	ring := func(text string) seal.Keyring {
		r, err := seal.ParseKeys(text)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	alone, both := ring(one).MACs("x"), ring(two+","+one).MACs("x")
	if len(alone) != 1 || len(both) != 2 || !bytes.Equal(alone[0], both[1]) || len(alone[0]) != 32 {
		t.Errorf("%x and %x", alone, both)
	}
	if bytes.Equal(both[0], both[1]) || bytes.Equal(alone[0], ring(one).MACs("y")[0]) {
		t.Error("two keys or texts have one MAC")
	}
}
