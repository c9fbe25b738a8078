package seal_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"bizfin/internal/seal"
)

const aad = "acme/signing-secret"

func mustParse(t testing.TB, keys ...string) seal.Keyring {
	t.Helper()
	ring, err := seal.ParseKeys(strings.Join(keys, ","))
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

func TestOpenReturnsWhatWasSealed(t *testing.T) {
	t.Parallel()
	ring := mustParse(t, seal.NewKey())
	for _, plaintext := range []string{"", "x", strings.Repeat("secret", 1000)} {
		for _, aad := range []string{"", aad} {
			got, err := ring.Open(ring.Seal([]byte(plaintext), aad), aad)
			if err != nil || string(got) != plaintext {
				t.Errorf("got %q, %v, want %q", got, err, plaintext)
			}
		}
	}
}

func TestSealNeverRepeatsAndHidesThePlaintext(t *testing.T) {
	t.Parallel()
	ring := mustParse(t, seal.NewKey())
	plaintext := []byte("the partner's signing secret")
	first, second := ring.Seal(plaintext, aad), ring.Seal(plaintext, aad)
	if bytes.Equal(first, second) || bytes.Contains(first, plaintext) {
		t.Errorf("sealed as %x and %x", first, second)
	}
}

func TestRotationOpensOldTextsAndSealsWithTheFirstKey(t *testing.T) {
	t.Parallel()
	oldKey, newKey := seal.NewKey(), seal.NewKey()
	before, during, after := mustParse(t, oldKey), mustParse(t, newKey, oldKey), mustParse(t, newKey)
	old := before.Seal([]byte("secret"), aad)

	got, err := during.Open(old, aad)
	if err != nil || string(got) != "secret" {
		t.Fatalf("got %q, %v with both keys", got, err)
	}
	if _, err := after.Open(old, aad); !errors.Is(err, seal.ErrUnknownKey) {
		t.Errorf("got %v without the old key, want ErrUnknownKey", err)
	}
	fresh := during.Seal(got, aad)
	if got, err := after.Open(fresh, aad); err != nil || string(got) != "secret" {
		t.Errorf("got %q, %v with the new key alone", got, err)
	}
	if _, err := before.Open(fresh, aad); !errors.Is(err, seal.ErrUnknownKey) {
		t.Errorf("got %v with the old key alone, want ErrUnknownKey", err)
	}
}

func TestOtherAdditionalDataIsRefused(t *testing.T) {
	t.Parallel()
	ring := mustParse(t, seal.NewKey())
	sealed := ring.Seal([]byte("secret"), aad)
	for _, other := range []string{"", "other/signing-secret", "acme/webhook-secret", aad + " "} {
		if got, err := ring.Open(sealed, other); !errors.Is(err, seal.ErrCorrupt) || got != nil {
			t.Errorf("%q: got %q, %v, want ErrCorrupt", other, got, err)
		}
	}
}

func TestEveryChangedByteIsRefused(t *testing.T) {
	t.Parallel()
	ring := mustParse(t, seal.NewKey(), seal.NewKey())
	sealed := ring.Seal([]byte("secret"), aad)
	for i := range sealed {
		for bit := range 8 {
			changed := bytes.Clone(sealed)
			changed[i] ^= 1 << bit
			want := seal.ErrCorrupt
			if 1 <= i && i < 5 {
				want = seal.ErrUnknownKey
			}
			if got, err := ring.Open(changed, aad); !errors.Is(err, want) || got != nil {
				t.Errorf("byte %d, bit %d: got %q, %v, want %v", i, bit, got, err, want)
			}
		}
	}
}

func TestCutOffAndForeignTextsAreRefused(t *testing.T) {
	t.Parallel()
	ring := mustParse(t, seal.NewKey())
	sealed := ring.Seal([]byte("secret"), aad)
	for n := range sealed {
		if _, err := ring.Open(sealed[:n], aad); !errors.Is(err, seal.ErrCorrupt) {
			t.Errorf("first %d bytes: got %v, want ErrCorrupt", n, err)
		}
	}
	if _, err := ring.Open(append(sealed, 0), aad); !errors.Is(err, seal.ErrCorrupt) {
		t.Errorf("a byte more: got %v, want ErrCorrupt", err)
	}
}

func TestAKeyOfAnotherRingIsUnknown(t *testing.T) {
	t.Parallel()
	sealed := mustParse(t, seal.NewKey()).Seal([]byte("secret"), aad)
	if _, err := mustParse(t, seal.NewKey()).Open(sealed, aad); !errors.Is(err, seal.ErrUnknownKey) {
		t.Errorf("got %v, want ErrUnknownKey", err)
	}
	if _, err := (seal.Keyring{}).Open(sealed, aad); !errors.Is(err, seal.ErrUnknownKey) {
		t.Errorf("zero keyring: got %v, want ErrUnknownKey", err)
	}
}

func TestSealPanicsWithoutAKey(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("sealed without a key")
		}
	}()
	seal.Keyring{}.Seal([]byte("secret"), aad)
}

func TestParseKeysReadsEveryBase64(t *testing.T) {
	t.Parallel()
	raw := bytes.Repeat([]byte{0xfb, 0xff}, 16) // has both characters in which the alphabets differ
	sealed := mustParse(t, base64.StdEncoding.EncodeToString(raw)).Seal([]byte("secret"), aad)
	for _, text := range []string{
		base64.StdEncoding.EncodeToString(raw),
		base64.RawStdEncoding.EncodeToString(raw),
		base64.URLEncoding.EncodeToString(raw),
		base64.RawURLEncoding.EncodeToString(raw),
		" " + base64.StdEncoding.EncodeToString(raw) + "\n",
		seal.NewKey() + " , " + base64.RawURLEncoding.EncodeToString(raw),
	} {
		if _, err := mustParse(t, text).Open(sealed, aad); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestParseKeysRefusesAndNeverTellsTheKey(t *testing.T) {
	t.Parallel()
	good := seal.NewKey()
	for name, text := range map[string]string{
		"nothing":                "",
		"an empty key":           good + ",",
		"31 bytes":               base64.StdEncoding.EncodeToString(make([]byte, 31)),
		"33 bytes":               base64.StdEncoding.EncodeToString(make([]byte, 33)),
		"no base64":              "!" + good[1:],
		"hexadecimal":            strings.Repeat("ab", 32),
		"a line end inside":      good[:10] + "\n" + good[10:],
		"stray bits at the end":  strings.Repeat("A", 42) + "B=",
		"the same key twice":     good + "," + good,
		"another separator":      good + ";" + seal.NewKey(),
		"a second one too short": good + ",AAAA",
	} {
		ring, err := seal.ParseKeys(text)
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		if strings.Contains(err.Error(), good[1:9]) || strings.Contains(err.Error(), "AAAA") {
			t.Errorf("%s: the error tells the key: %v", name, err)
		}
		if _, err := ring.Open(mustParse(t, good).Seal(nil, ""), ""); !errors.Is(err, seal.ErrUnknownKey) {
			t.Errorf("%s: refused, yet the keyring has a key", name)
		}
	}
}

func TestKeyringPrintsRedacted(t *testing.T) {
	t.Parallel()
	ring := mustParse(t, seal.NewKey())
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "keys", ring)
	if !strings.Contains(log.String(), `"keys":"[redacted]"`) {
		t.Errorf("slog: %s", log.String())
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(verb, ring); got != "[redacted]" {
			t.Errorf("%s: %s", verb, got)
		}
		if got := fmt.Sprintf(verb, struct{ Keys seal.Keyring }{ring}); !strings.Contains(got, "[redacted]") {
			t.Errorf("%s in a struct: %s", verb, got)
		}
	}
	if got, err := json.Marshal(ring); err != nil || string(got) != `"[redacted]"` {
		t.Errorf("json: %s, %v", got, err)
	}
}

func TestNewKeyMakesDifferentKeys(t *testing.T) {
	t.Parallel()
	if a, b := seal.NewKey(), seal.NewKey(); a == b {
		t.Errorf("twice the same key")
	}
}
