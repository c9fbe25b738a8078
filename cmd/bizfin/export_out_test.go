package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/store"
	"bizfin/store/storetest"
)

// What --out names is made anew, or nothing is made: no file of anybody is written over, followed or left in part.
func TestAnExportWritesNoFileButItsOwn(t *testing.T) {
	useTestStack(t)
	db, now := storetest.DB(t), time.Now()
	partner := "out-" + uuid.NewString()
	if err := db.CreatePartner(t.Context(), now, partner, "P", nil); err != nil {
		t.Fatal(err)
	}
	connected, err := db.Connect(t.Context(), now, store.Connection{PartnerID: partner, Subject: "ana",
		Businesses: []store.Business{{ID: "a", Name: "A", Role: store.RoleOwner}}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string) {
		if err := os.WriteFile(in(name), []byte("kept"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("there")
	write("target")
	for name, target := range map[string]string{"link": in("target"), "dangling": in("nowhere"), "dir-link": dir} {
		if err := os.Symlink(target, in(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(in("folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	entries := func() (names []string) {
		err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			names = append(names, path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	before := entries()
	for _, what := range [][]string{{"organization", connected.Organizations[0].OrganizationID.String()},
		{"user", connected.PersonID.String()}} {
		for out, says := range map[string]string{
			in("there"): "exists already", in("folder"): "exists already", in("folder") + "/": "exists already",
			in("link"): "exists already", in("dangling"): "exists already", in("dir-link"): "exists already",
			os.DevNull: "exists already", "/": "exists already", ".": "exists already", "..": "exists already",
			in("none/out.zip"): "cannot be written to", in("there/out.zip"): "", "": "",
		} {
			_, err := bizfin(t.Context(), what[0], "export", what[1], "--out", out)
			if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "goroutine") {
				t.Errorf("%s export --out %q: %v", what[0], out, err)
			}
		}
		// Nor is anything made for an id that is nobody's, or no id.
		for _, id := range []string{uuid.NewString(), "../../etc", "' OR 1=1", uuid.Nil.String(), ""} {
			if _, err := bizfin(t.Context(), what[0], "export", id, "--out", in("new.zip")); err == nil {
				t.Errorf("%s export %q does not fail", what[0], id)
			}
		}
	}
	if after := entries(); strings.Join(before, "\n") != strings.Join(after, "\n") {
		t.Errorf("there was %v, and there is %v", before, after)
	}
	for _, name := range []string{"there", "target"} {
		if text, err := os.ReadFile(in(name)); string(text) != "kept" {
			t.Errorf("%s is written over: %q, %v", name, text, err)
		}
	}
	// A file that somebody puts there meanwhile stays theirs.
	_, err = writeArchive(in("raced"), now, map[string]any{}, func(*archive) error { write("raced"); return nil })
	if text, _ := os.ReadFile(in("raced")); err == nil || !strings.Contains(err.Error(), "exists already") ||
		string(text) != "kept" {
		t.Errorf("a file that came meanwhile is %q, and the export says %v", text, err)
	}
}

// A disk may be full at any byte.
func TestAnExportToAFullDiskLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	d := startDisk(t, dir)
	if d == nil {
		t.Skip("no disk to fill")
	}
	d.fill()
	_, err := writeArchive(filepath.Join(dir, "out.zip"), time.Now(), map[string]any{}, func(a *archive) error {
		return a.add("random", func(w io.Writer) (int64, error) {
			random, err := os.Open("/dev/urandom")
			if err != nil {
				return 0, err
			}
			defer random.Close()
			n, err := io.CopyN(w, random, 8<<20)
			return n, err
		})
	})
	if err == nil || errors.Is(err, os.ErrExist) {
		t.Errorf("the export says %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// What operators look up is what its owner called it, and what an export holds is for spreadsheets too.
func TestNamesOfOthersDoNoHarmWhereTheyAreShown(t *testing.T) {
	useTestStack(t)
	db, now := storetest.DB(t), time.Now()
	partner := "names-" + uuid.NewString()
	if err := db.CreatePartner(t.Context(), now, partner, "P", nil); err != nil {
		t.Fatal(err)
	}
	const evil = "\x1b[2J\x1b]0;owned\x07\x1b[8mA\u202eB\u009bC"
	connected, err := db.Connect(t.Context(), now, store.Connection{PartnerID: partner, Subject: "s" + evil,
		Email: "e" + evil, Name: "n" + evil, Businesses: []store.Business{
			{ID: "b" + evil, Name: "N" + evil, Role: store.RoleOwner}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"organization", "list", "--partner", partner},
		{"user", "list", "--partner", partner},
		{"organization", "show", connected.Organizations[0].OrganizationID.String()},
		{"user", "show", connected.PersonID.String()}} {
		out, err := bizfin(t.Context(), args...)
		if err != nil || !strings.Contains(out, "A\uFFFDB\uFFFDC") || strings.ContainsAny(out, "\x1b\x07\u202e\u009b") {
			t.Errorf("%v prints %q, %v", args, out, err)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"=1+1", "'=1+1"}, {"+1", "'+1"}, {"-1", "'-1"}, {"@SUM(A1)", "'@SUM(A1)"}, {"\t=1", "'\t=1"},
		{"\r=1", "'\r=1"}, {"＝1", "'＝1"}, {"1=1", "1=1"}, {"", ""}, {"'=1", "'=1"},
	} {
		if got := cellsOf([]any{c.text, "-1.00"}, []bool{true, false}); got[0] != c.want || got[1] != "-1.00" {
			t.Errorf("%q and an amount become %q", c.text, got)
		}
	}
}
