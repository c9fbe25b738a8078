package docs

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
)

// Packed is a body that is the same for everybody. It is compressed once: strangers ask for it, as often as they like.
type Packed struct{ plain, packed []byte }

// Pack compresses a body where that makes it smaller.
func Pack(body []byte) Packed {
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // of a level that there is
	_, _ = w.Write(body)                                       // into memory
	_ = w.Close()
	if packed.Len() >= len(body) {
		return Packed{plain: body}
	}
	return Packed{plain: body, packed: packed.Bytes()}
}

// Write answers 200 with the body, compressed for who takes that. The header has all else.
func (p Packed) Write(w http.ResponseWriter, r *http.Request) {
	body := p.plain
	w.Header().Add("Vary", "Accept-Encoding")
	if p.packed != nil && takesGzip(r.Header.Values("Accept-Encoding")) {
		w.Header().Set("Content-Encoding", "gzip")
		body = p.packed
	}
	_, _ = w.Write(body) // the caller went away
}

// takesGzip reports whether a client takes gzip: it names it, or anything, and not with a weight of nothing (RFC 9110,
// section 12.5.3).
func takesGzip(accepted []string) bool {
	all := false
	for coding := range strings.SplitSeq(strings.Join(accepted, ","), ",") {
		name, weight, weighed := strings.Cut(strings.ReplaceAll(strings.ToLower(coding), " ", ""), ";q=")
		taken := !weighed || strings.Trim(weight, "0.") != ""
		switch name {
		case "gzip":
			return taken
		case "*":
			all = taken
		}
	}
	return all
}
