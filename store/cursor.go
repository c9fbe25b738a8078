package store

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// cursor is a place in a list: the key of its last row, bound to the filters of the list. A day of -2^63 .. is never
// needed: the instant is microseconds since 1970, PostgreSQL's own precision.
type cursor struct {
	at time.Time
	id uuid.UUID
}

const (
	cursorVersion = 1
	cursorLength  = 1 + 8 + 8 + 16 // version, filters, instant, id
)

// encode writes the cursor for the list that filters describe.
func (c cursor) encode(filters any) string {
	raw := make([]byte, 0, cursorLength)
	raw = append(raw, cursorVersion)
	raw = append(raw, fingerprint(filters)...)
	raw = binary.BigEndian.AppendUint64(raw, uint64(c.at.UnixMicro()))
	raw = append(raw, c.id[:]...)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// decodeCursor reads a cursor of the same list. ErrCursor.
func decodeCursor(text string, filters any) (cursor, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != cursorLength || raw[0] != cursorVersion {
		return cursor{}, ErrCursor
	}
	if string(raw[1:9]) != string(fingerprint(filters)) {
		return cursor{}, ErrCursor
	}
	at := time.UnixMicro(int64(binary.BigEndian.Uint64(raw[9:17]))).UTC()
	if at.Year() < 1 || at.Year() > 9999 {
		return cursor{}, ErrCursor
	}
	return cursor{at: at, id: uuid.UUID(raw[17:33])}, nil
}

// fingerprint tells filters apart. It keeps no secret: a forged cursor reaches nothing that a filter does not.
func fingerprint(filters any) []byte {
	text, err := json.Marshal(filters)
	if err != nil {
		panic(err) // filters are plain values
	}
	sum := sha256.Sum256(text)
	return sum[:8]
}
