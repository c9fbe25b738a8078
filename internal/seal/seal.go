// Package seal encrypts secrets that are kept at rest, such as partners' signing
// secrets, with AES-256 in GCM (NIST SP 800-38D).
//
// A sealed text is
//
//	version (1 byte) | key ID (4 bytes) | nonce (12 bytes) | ciphertext and tag
//
// All of it is authenticated, together with additional data that says whose and
// what the secret is, so that it cannot be moved to another place.
package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

var (
	// ErrUnknownKey means that the text was sealed with a key the keyring lacks.
	ErrUnknownKey = errors.New("sealed with an unknown key")
	// ErrCorrupt means that the text was changed or cut off, or that the
	// additional data is not the one it was sealed with.
	ErrCorrupt = errors.New("sealed text is corrupt")
)

const (
	version   = 1
	keySize   = 32
	keyIDSize = 4
	nonceSize = 12
	headSize  = 1 + keyIDSize
)

// Keyring holds one or more keys. The first one seals, all of them open. It
// prints as "[redacted]". The zero value has no key and only refuses.
type Keyring struct {
	keys []key
}

type key struct {
	id   [keyIDSize]byte // the first bytes of the SHA-256 of the key
	aead cipher.AEAD
	mac  []byte // a key of its own for MACs, made of the key
}

// ParseKeys reads keys of 32 bytes in base64 (standard or URL alphabet, padded or
// not), separated by commas; space around them does not count. Errors name a key
// by its place and never hold it.
func ParseKeys(s string) (Keyring, error) {
	var ring Keyring
	for i, text := range strings.Split(s, ",") {
		k, err := parseKey(strings.TrimSpace(text))
		if err != nil {
			return Keyring{}, fmt.Errorf("key %d: %w", i+1, err)
		}
		if ring.find(k.id[:]) != nil {
			return Keyring{}, fmt.Errorf("key %d: is listed twice", i+1)
		}
		ring.keys = append(ring.keys, k)
	}
	return ring, nil
}

var errKey = errors.New("must be 32 bytes in base64")

func parseKey(text string) (key, error) {
	if strings.ContainsAny(text, "\r\n") { // encoding/base64 would skip them
		return key{}, errKey
	}
	text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	raw, err := base64.RawStdEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != keySize {
		return key{}, errKey
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return key{}, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return key{}, err
	}
	sum := sha256.Sum256(raw)
	return key{id: [keyIDSize]byte(sum[:keyIDSize]), aead: aead, mac: macOf(raw, "bizfin: key for MACs")}, nil
}

func macOf(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// MACs are the HMAC-SHA256 of a text by each key, that of the key which seals first: what only a holder of the keys
// can make of the text, and makes again.
func (r Keyring) MACs(text string) [][]byte {
	list := make([][]byte, len(r.keys))
	for i, k := range r.keys {
		list[i] = macOf(k.mac, text)
	}
	return list
}

// NewKey makes a random key in the form that [ParseKeys] reads.
func NewKey() string {
	raw := make([]byte, keySize)
	rand.Read(raw) // never fails: it ends the process instead
	return base64.StdEncoding.EncodeToString(raw)
}

func (r Keyring) find(id []byte) *key {
	for i := range r.keys {
		if bytes.Equal(r.keys[i].id[:], id) {
			return &r.keys[i]
		}
	}
	return nil
}

// Seal encrypts plaintext with the first key and binds it to aad, which Open must
// be given again. Each call gives another text. It panics on a keyring without a
// key, rather than return something that looks sealed.
func (r Keyring) Seal(plaintext []byte, aad string) []byte {
	if len(r.keys) == 0 {
		panic("seal: the keyring has no key")
	}
	k := r.keys[0]
	sealed := make([]byte, headSize+nonceSize, headSize+nonceSize+len(plaintext)+k.aead.Overhead())
	sealed[0] = version
	copy(sealed[1:], k.id[:])
	nonce := sealed[headSize:]
	rand.Read(nonce)
	return k.aead.Seal(sealed, nonce, plaintext, additional(sealed[:headSize], aad))
}

// Head is what all texts begin with that Seal makes. It tells which key sealed a
// text and nothing else.
func (r Keyring) Head() []byte {
	if len(r.keys) == 0 {
		panic("seal: the keyring has no key")
	}
	return append([]byte{version}, r.keys[0].id[:]...)
}

// Open decrypts what [Keyring.Seal] made with the same aad, by whichever key it
// was sealed. It fails with [ErrUnknownKey] or [ErrCorrupt].
func (r Keyring) Open(sealed []byte, aad string) ([]byte, error) {
	if len(sealed) < headSize+nonceSize || sealed[0] != version {
		return nil, ErrCorrupt
	}
	head, nonce, ciphertext := sealed[:headSize], sealed[headSize:headSize+nonceSize], sealed[headSize+nonceSize:]
	k := r.find(head[1:])
	if k == nil {
		return nil, ErrUnknownKey
	}
	plaintext, err := k.aead.Open(nil, nonce, ciphertext, additional(head, aad))
	if err != nil {
		return nil, ErrCorrupt
	}
	return plaintext, nil
}

// additional puts the head of a fixed length before aad, so that no two pairs of
// them give the same bytes.
func additional(head []byte, aad string) []byte {
	return append(bytes.Clone(head), aad...)
}

const redacted = "[redacted]"

// String hides the keys.
func (Keyring) String() string { return redacted }

// GoString hides the keys from %#v.
func (Keyring) GoString() string { return redacted }

// LogValue hides the keys from slog.
func (Keyring) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText hides the keys from encoders such as encoding/json.
func (Keyring) MarshalText() ([]byte, error) { return []byte(redacted), nil }
