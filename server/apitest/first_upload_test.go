package apitest

import "testing"

func TestFirstUploadIsFoundBySearch(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	account := o.uploadAccount("a1")
	ids := o.upload(account, transaction("t1", "-12.30", "2026-03-31", "COFFEE BEANS"))
	found := o.get(o.path + "/transactions?query=beans").want(200)
	if got := found.text("transactions", 0, "id"); got != ids["t1"] {
		t.Errorf("found %s, want %s", got, ids["t1"])
	}
	if got := found.text("transactions", 0, "amount"); got != "-12.30" {
		t.Errorf("amount %s, want -12.30", got)
	}
}
