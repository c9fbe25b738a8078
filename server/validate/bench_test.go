package validate_test

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oapi-codegen/runtime"

	"bizfin/server/validate"
)

// fullBatch is an upload of 500 transactions, 134 KB.
func fullBatch() []byte {
	items := make([]string, 500)
	for i := range items {
		items[i] = fmt.Sprintf(
			`{"external_id":"txn_2026_%012d_%016x","amount":-%d.%02d,"date":"2026-%02d-%02d","description":"POS PURCHASE 4411 COFFEE ROASTERS INC #%04d SAN FRANCISCO CA CARD 1234 REF %020d","pending":false,"currency":"USD"}`,
			i, i*7919, i*13%9000, i%100, i%12+1, i%28+1, i, i)
	}
	return []byte(`{"transactions":[` + strings.Join(items, ",") + `]}`)
}

func BenchmarkBody(b *testing.B) {
	o := operation(b, "POST", transactionsPath)
	raw := fullBatch()
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, problems, err := o.Body(raw); err != nil || problems != nil {
			b.Fatal(problems, err)
		}
	}
}

func BenchmarkBodyAndBind(b *testing.B) {
	o := operation(b, "POST", transactionsPath)
	raw := fullBatch()
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		text, _, err := o.Body(raw)
		if err != nil {
			b.Fatal(err)
		}
		var upload transactionUpload
		if err := validate.Bind(text, &upload); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBind(b *testing.B) {
	raw := fullBatch()
	tree := decode(b, raw)
	for name, bind := range map[string]func(any) error{
		"Bind":          func(into any) error { return validate.Bind(raw, into) },
		"encoding/json": func(into any) error { return stdjson.Unmarshal(raw, into) },
		"BindJSONValue": func(into any) error { return runtime.BindJSONValue(tree, into) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var upload transactionUpload
				if err := bind(&upload); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkKin is what the compiled schema replaces: decode to a tree, then VisitJSON.
func BenchmarkKin(b *testing.B) {
	visit := kinBody(b, transactionsPath)
	raw := fullBatch()
	tree := decode(b, raw)
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			decode(b, raw)
		}
	})
	b.Run("visit", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := visit(tree); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkHostileBody are bodies of 1 MiB that are made to cost as much as they can.
func BenchmarkHostileBody(b *testing.B) {
	o := operation(b, "POST", transactionsPath)
	for name, raw := range hostileBodies(oneMiB) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _, _ = o.Body(raw)
			}
		})
	}
}

const oneMiB = 1 << 20

func hostileBodies(size int) map[string][]byte {
	fill := func(prefix, unit, suffix string) []byte {
		n := (size - len(prefix) - len(suffix) + 1) / (len(unit) + 1)
		return []byte(prefix + strings.TrimSuffix(strings.Repeat(unit+",", n), ",") + suffix)
	}
	var unknown strings.Builder
	for i := 0; unknown.Len() < size-32; i++ {
		fmt.Fprintf(&unknown, `"%x":0,`, i)
	}
	return map[string][]byte{
		"empty objects": fill(`{"transactions":[`, `{}`, `]}`),
		"zeros":         fill(`{"transactions":[`, `0`, `]}`),
		"arrays":        fill(`{"transactions":[`, `[[[]]]`, `]}`),
		"unknown names": []byte(`{` + unknown.String() + `"z":0}`),
		"long number":   []byte(`{"transactions":[{"amount":0.` + strings.Repeat("0", size-64) + `1}]}`),
		"long string":   []byte(`{"transactions":[{"description":"` + strings.Repeat("é", size/2-64) + `"}]}`),
		"escaped":       []byte(`{"transactions":[{"currency":"` + strings.Repeat(`\u0041`, size/6-16) + `"}]}`),
		"deep":          bytes.Repeat([]byte("["), size),
	}
}

func decode(t testing.TB, raw []byte) any {
	t.Helper()
	dec := stdjson.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// kinBody judges a decoded request body by kin-openapi, with what it is known
// to judge wrongly left out: decimals, and dates by their pattern.
func kinBody(t testing.TB, path string) func(value any) error {
	t.Helper()
	doc := load(t)
	schema := doc.Paths.Value(path).Post.RequestBody.Value.Content["application/json"].Schema.Value
	return func(value any) error {
		return schema.VisitJSON(value, openapi3.MultiErrors(), openapi3.DisableSchemaErrorDetails(),
			openapi3.WithStringFormatValidator("uuid",
				openapi3.NewRegexpFormatValidator(openapi3.FormatOfStringForUUIDOfRFC9562)))
	}
}
