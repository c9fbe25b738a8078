package partnertoken_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bizfin/internal/partnertoken"
)

// FuzzVerify signs any header and claims well, so that the fuzzer gets behind the
// signature. What verifies must hold by encoding/json too, and give the same
// person when signed again.
func FuzzVerify(f *testing.F) {
	f.Add(goodHeader, claims(nil))
	f.Add(`{"alg":"HS256"}`, with("aud", `["https://bizfin.test"]`))
	f.Add(goodHeader, with("exp", "1e300"))
	f.Add(goodHeader, claims(nil, `"EXP":1`))
	f.Add(goodHeader, claims(nil, `"x":[[[[{}]]]]`))
	f.Add(`{"alg":"HS256","crit":["x"]}`, claims(map[string]string{"iat": "", "jti": ""}))
	f.Fuzz(func(t *testing.T, header, text string) {
		partnertoken.Verify(header, expect())
		partnertoken.Verify(header+"."+text+"."+header, expect())

		p, err := partnertoken.Verify(signed(header, text), expect())
		if err != nil {
			if !errors.Is(err, partnertoken.ErrInvalid) {
				t.Fatalf("got error %v, want ErrInvalid", err)
			}
			return
		}
		var members map[string]any
		if err := json.Unmarshal([]byte(text), &members); err != nil {
			t.Fatalf("verified claims are no JSON object: %v", err)
		}
		if members["iss"] != "acme" || members["sub"] != p.Subject || !now.Before(p.ExpiresAt) {
			t.Fatalf("verified %q as %+v", text, p)
		}
		if _, ok := members["payload"]; !ok || !json.Valid(p.Payload) {
			t.Fatalf("verified %q with payload %q", text, p.Payload)
		}
		again, err := partnertoken.Sign(partnertoken.Claims{
			PartnerID: p.PartnerID, Audience: expect().Audience, Subject: p.Subject, Email: p.Email, Name: p.Name,
			ID:       p.ID,
			IssuedAt: p.IssuedAt, ExpiresAt: p.ExpiresAt, Payload: p.Payload,
		}, secret)
		if err != nil {
			t.Fatal(err)
		}
		if len(again) > partnertoken.MaxLength {
			return
		}
		q, err := partnertoken.Verify(again, expect())
		if err != nil {
			t.Fatalf("signed again it fails: %v", err)
		}
		p.Payload, q.Payload = nil, nil
		if diff := cmp.Diff(p, q); diff != "" {
			t.Fatal(diff)
		}
	})
}

// FuzzParsePayload compares with encoding/json what is accepted, and checks that
// each problem points into the payload.
func FuzzParsePayload(f *testing.F) {
	f.Add([]byte(goodPayload))
	f.Add([]byte(`{"business_id":null,"businesses":[],"tier":"free"}`))
	f.Add([]byte(`{"business_id":"a","businesses":[{"id":"a","name":" \ufeffA","role":"member"},{"id":"a"},1],` +
		`"x/~":0}`))
	f.Add([]byte(`{"business_id":"\ud800","businesses":null,"tier":null}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, problems := partnertoken.ParsePayload(raw)
		if len(problems) > partnertoken.MaxProblems {
			t.Fatalf("%d problems", len(problems))
		}
		for _, problem := range problems {
			if !strings.HasPrefix(problem.Path, "/payload") || problem.Code == "" || problem.Message == "" {
				t.Fatalf("%+v", problem)
			}
		}
		if len(problems) > 0 {
			return
		}
		var want partnertoken.Payload
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("accepted what encoding/json refuses: %v", err)
		}
		for i := range want.Businesses {
			want.Businesses[i].Name = strings.TrimFunc(want.Businesses[i].Name,
				func(c rune) bool { return strings.ContainsRune("\ufeff", c) || strings.TrimSpace(string(c)) == "" })
		}
		if diff := cmp.Diff(want, p); diff != "" {
			t.Fatal(diff)
		}
		written, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if q, problems := partnertoken.ParsePayload(written); len(problems) > 0 || !cmp.Equal(p, q) {
			t.Fatalf("read back as %+v, %v, want %+v", q, problems, p)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	for name, payload := range map[string]string{"one business": goodPayload, "300 businesses": manyBusinesses(300)} {
		raw, want := signed(goodHeader, with("payload", payload)), expect()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				p, err := partnertoken.Verify(raw, want)
				if err != nil {
					b.Fatal(err)
				}
				if _, problems := partnertoken.ParsePayload(p.Payload); len(problems) > 0 {
					b.Fatal(problems)
				}
			}
		})
	}
}
