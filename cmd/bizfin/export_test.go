package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/store"
	"bizfin/store/storetest"
)

// unzipped reads an archive and holds its files against its manifest.
func unzipped(t *testing.T, name string) map[string]string {
	t.Helper()
	archive, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	files := map[string]string{}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(raw)
	}
	var manifest struct{ Files []exportedFile }
	if err := json.Unmarshal([]byte(files["manifest.json"]), &manifest); err != nil {
		t.Fatal(err)
	}
	if len(manifest.Files) != len(files)-1 {
		t.Errorf("the manifest lists %d of %d files", len(manifest.Files), len(files)-1)
	}
	for _, f := range manifest.Files {
		sum := sha256.Sum256([]byte(files[f.Name]))
		if f.SHA256 != hex.EncodeToString(sum[:]) || f.Bytes != int64(len(files[f.Name])) {
			t.Errorf("%s is not as the manifest says", f.Name)
		}
	}
	return files
}

// An export has every row of the business and none of another, exact, and nothing that a spreadsheet would run.
func TestAnExportHasEverythingOfABusiness(t *testing.T) {
	useTestStack(t)
	ctx, db, now := t.Context(), storetest.DB(t), time.Now()
	partner := "export-" + uuid.NewString()
	if err := db.CreatePartner(ctx, now, partner, "P", nil); err != nil {
		t.Fatal(err)
	}
	connected, err := db.Connect(ctx, now, store.Connection{PartnerID: partner, Subject: "ana",
		Email: "ana@example.com",
		Businesses: []store.Business{{ID: "a", Name: "=cmd|' /C calc'!A0", Role: "owner"}, {ID: "b", Name: "B",
			Role: "owner"}}})
	if err != nil {
		t.Fatal(err)
	}
	const rows = 4500 // more than is read at once
	for i, at := range connected.Organizations {
		o := db.Organization(at.OrganizationID)
		accounts, err := o.UploadAccounts(ctx, now, at.SourceID, []store.AccountUpload{{ExternalID: "x", Name: "X",
			Type: "depository", Currency: "USD", Balance: -1}})
		if err != nil {
			t.Fatal(err)
		}
		var batch []store.TransactionUpload
		for n := range rows {
			batch = append(batch, store.TransactionUpload{ExternalID: uuid.NewString(), Amount: money.Amount(-n),
				Date: "2026-01-31", Description: map[int]string{0: "=1+1", 1: "of another"}[i]})
		}
		if _, err := o.UploadTransactions(ctx, now, accounts[0].ID, batch); err != nil {
			t.Fatal(err)
		}
	}
	id := connected.Organizations[0].OrganizationID.String()
	if _, err := bizfin(ctx, "organization", "export", id, "--out", "out.zip"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat("out.zip"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
	files := unzipped(t, "out.zip")
	sheet, err := csv.NewReader(strings.NewReader(files["transactions.csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	amount, description := slices.Index(sheet[0], "amount"), slices.Index(sheet[0], "description")
	if len(sheet) != rows+1 || sheet[102][description] != "'=1+1" || !slices.ContainsFunc(sheet,
		func(row []string) bool { return row[amount] == "-1.01" }) {
		t.Errorf("%d rows, row 102 is %v", len(sheet), sheet[102])
	}
	if lines := strings.Count(files["transactions.jsonl"], `"description":"=1+1"`); lines != rows {
		t.Errorf("%d lines have the description as it is", lines)
	}
	if !strings.Contains(files["organization.csv"], `'=cmd|`) ||
		!strings.Contains(files["accounts.jsonl"], `"current_balance":-0.01`) {
		t.Errorf("organization %s accounts %s", files["organization.csv"], files["accounts.jsonl"])
	}
	for name, text := range files {
		if strings.Contains(text, "of another") {
			t.Errorf("%s has another business's rows", name)
		}
	}
	if _, err := bizfin(ctx, "organization", "export", id, "--out", "out.zip"); err == nil ||
		!strings.Contains(err.Error(), "exists already") {
		t.Errorf("a file that is there: %v", err)
	}
	if _, err := bizfin(ctx, "organization", "export", uuid.NewString(), "--out", "none.zip"); err == nil ||
		!strings.Contains(err.Error(), "there is no organization") {
		t.Errorf("no organization: %v", err)
	}
	if _, err := bizfin(ctx, "user", "export", connected.PersonID.String(), "--out", "user.zip"); err != nil {
		t.Fatal(err)
	}
	if person := unzipped(t, "user.zip"); !strings.Contains(person["user.csv"], "'ana@") && !strings.Contains(
		person["user.csv"], "ana@example.com") || strings.Count(person["memberships.jsonl"], "\n") != 2 {
		t.Errorf("of the person %v", person)
	}
	left, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range left {
		names = append(names, f.Name())
	}
	if diff := cmp.Diff([]string{"out.zip", "user.zip"}, names); diff != "" {
		t.Errorf("left behind: %s", diff)
	}
}

func TestAnExportThatFailsLeavesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	broken := errors.New("broken")
	if _, err := writeArchive("out.zip", time.Now(), map[string]any{}, func(a *archive) error {
		if entries, _ := os.ReadDir("."); len(entries) != 1 || entries[0].Name() == "out.zip" {
			t.Errorf("while it is written there is %v", entries)
		}
		return broken
	}); !errors.Is(err, broken) {
		t.Errorf("it fails with %v", err)
	}
	if entries, _ := os.ReadDir("."); len(entries) > 0 {
		t.Errorf("it leaves %v", entries)
	}
}
