package main

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/spf13/cobra"

	"bizfin/server"
	"bizfin/store"
)

// exportedFile is an entry of the manifest.
type exportedFile struct {
	Name   string `json:"name"`
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// archive writes an export into a zip, a file at a time and never all of one in memory.
type archive struct {
	*zip.Writer
	at    time.Time
	files []exportedFile
}

// measured is a file of the archive as it is written.
type measured struct {
	io.Writer
	sum   hash.Hash
	bytes int64
}

func (c *measured) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.sum.Write(p[:n])
	c.bytes += int64(n)
	return n, err
}

// add writes one file and lists it.
func (a *archive) add(name string, write func(w io.Writer) (rows int64, err error)) error {
	w, err := a.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: a.at})
	if err != nil {
		return err
	}
	file := &measured{Writer: w, sum: sha256.New()}
	rows, err := write(file)
	a.files = append(a.files, exportedFile{name, rows, file.bytes, hex.EncodeToString(file.sum.Sum(nil))})
	return err
}

// addPart writes a part in both forms.
func (a *archive) addPart(ctx context.Context, x *store.Export, p store.ExportPart, of uuid.UUID) error {
	err := a.add(p.Name+".jsonl", func(w io.Writer) (int64, error) {
		return x.Rows(ctx, p, of, true, func(*sql.Rows) error { return nil }, func(rows *sqlx.Rows) error {
			var line string
			if err := rows.Scan(&line); err != nil {
				return err
			}
			_, err := io.WriteString(w, line+"\n")
			return err
		})
	})
	if err != nil {
		return err
	}
	return a.add(p.Name+".csv", func(w io.Writer) (int64, error) {
		sheet := csv.NewWriter(w)
		var text []bool
		rows, err := x.Rows(ctx, p, of, false, func(rows *sql.Rows) error {
			columns, err := rows.ColumnTypes()
			if err != nil {
				return err
			}
			var names []string
			for _, c := range columns {
				names, text = append(names, c.Name()), append(text, store.IsText(c))
			}
			return sheet.Write(names)
		}, func(rows *sqlx.Rows) error {
			values, err := rows.SliceScan()
			if err != nil {
				return err
			}
			return sheet.Write(cellsOf(values, text))
		})
		sheet.Flush()
		return rows, errors.Join(err, sheet.Error())
	})
}

// cellsOf writes a row for spreadsheets. Words that one would take for a formula get an apostrophe in front, which it
// does not show; the JSON Lines have them as they are.
func cellsOf(values []any, text []bool) []string {
	cells := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case nil:
		case []byte:
			cells[i] = string(v)
		case time.Time:
			cells[i] = strings.TrimSuffix(v.UTC().Format(time.RFC3339Nano), "T00:00:00Z")
		default:
			cells[i] = fmt.Sprint(v)
		}
		if text[i] && cells[i] != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(cells[i])[0]) {
			cells[i] = "'" + cells[i]
		}
	}
	return cells
}

// writeArchive makes a file that appears under its name when it is whole, and that nobody else reads. One that is there
// is not replaced.
func writeArchive(name string, now time.Time, about map[string]any,
	fill func(a *archive) error) ([]exportedFile, error) {
	if _, err := os.Lstat(name); err == nil {
		return nil, fmt.Errorf("%s exists already; name another file with --out", name)
	}
	const private = 0o600 // as CreateTemp makes it
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return nil, fmt.Errorf("the folder of --out cannot be written to: %w", err)
	}
	defer os.Remove(f.Name()) // after it got its name it is not there any more
	defer f.Close()
	a := &archive{Writer: zip.NewWriter(f), at: now.UTC()}
	if err := fill(a); err != nil {
		return nil, err
	}
	manifest, err := a.CreateHeader(&zip.FileHeader{Name: "manifest.json", Method: zip.Deflate, Modified: a.at})
	if err != nil {
		return nil, err
	}
	about["made_at"], about["files"] = a.at.Format(time.RFC3339), a.files
	encoder := json.NewEncoder(manifest)
	encoder.SetIndent("", "  ")
	if err := errors.Join(encoder.Encode(about), a.Close(), f.Chmod(private), f.Sync()); err != nil {
		return nil, err
	}
	if err := os.Link(f.Name(), name); errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s exists already; name another file with --out", name)
	} else if err != nil { // not every file system has links
		return a.files, os.Rename(f.Name(), name)
	}
	return a.files, nil
}

// exportCommand writes all that is held of something.
func exportCommand(short, long, what string, read func(text string) (uuid.UUID, error),
	unknown func(error, uuid.UUID) error,
	export func(ctx context.Context, db *store.DB, id uuid.UUID, out string) ([]exportedFile, error)) *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "export ID",
		Short:   short,
		Long:    long,
		Example: fmt.Sprintf("  bizfin %s export %s --out %s.zip", what, exampleID, what),
		Args:    arguments("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := read(args[0])
			if err != nil {
				return err
			}
			_, db, err := openStore(cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer db.Close()
			files, err := export(cmd.Context(), db, id, out)
			if err != nil {
				return unknown(err, id)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"out": out, "files": files})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s has %d files; manifest.json lists them with their checksums\n",
				out, len(files))
			return err
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "the zip to write; it must not exist")
	_ = cmd.MarkFlagRequired("out")
	addJSONFlag(cmd, &asJSON)
	return cmd
}

func organizationExportCommand() *cobra.Command {
	return exportCommand("Write everything held of a business into a zip",
		`Write everything held of a business into a zip: its rows as CSV and JSON Lines,
as of one moment, and its reports of each year. Credentials are not in it.
Spreadsheets take some texts for formulas: those begin with ' in the CSV.`, "organization", organizationID,
		unknownOrganization, exportOrganization)
}

func exportOrganization(ctx context.Context, db *store.DB, id uuid.UUID, out string) (files []exportedFile, err error) {
	now := time.Now()
	err = db.Export(ctx, now, id, uuid.Nil, func(x *store.Export) (rows int64, err error) {
		if err := x.Exists(ctx, store.OrganizationParts[0], id); err != nil {
			return 0, err
		}
		files, err = writeArchive(out, now, map[string]any{"organization_id": id}, func(a *archive) error {
			years, err := x.Years(ctx, id)
			if err != nil {
				return err
			}
			for _, p := range store.OrganizationParts {
				if err := a.addPart(ctx, x, p, id); err != nil {
					return err
				}
			}
			return addReports(ctx, a, db.Organization(id), now, years)
		})
		return exportedRows(files), err
	})
	return files, err
}

func exportedRows(files []exportedFile) (rows int64) {
	for _, f := range files {
		if strings.HasSuffix(f.Name, ".jsonl") {
			rows += f.Rows
		}
	}
	return rows
}

// addReports writes the reports of each year, as the service answers them, and what the ids of categories mean.
func addReports(ctx context.Context, a *archive, o *store.Organization, now time.Time, years []int) error {
	write := func(name string, value any) error {
		return a.add(name, func(w io.Writer) (int64, error) { return 1, printJSON(w, value) })
	}
	if err := write("categories.json", server.CategoryPaths()); err != nil {
		return err
	}
	for _, year := range years {
		cashflow, pnl, err := server.ReportsOfYear(ctx, o, now, year)
		if err != nil {
			return err
		}
		if err := write(fmt.Sprintf("reports/%d-cashflow.json", year), cashflow); err != nil {
			return err
		}
		if err := write(fmt.Sprintf("reports/%d-pnl.json", year), pnl); err != nil {
			return err
		}
	}
	return nil
}

func userExportCommand() *cobra.Command {
	return exportCommand("Write everything held of a person into a zip",
		`Write everything held of a person into a zip: who they are, where they are
members, their tokens by id, their subscription, what they answered and did. The
books of their businesses are exported with "organization export".`, "user", personID, unknownPerson,
		func(ctx context.Context, db *store.DB, id uuid.UUID, out string) (files []exportedFile, err error) {
			now := time.Now()
			err = db.Export(ctx, now, uuid.Nil, id, func(x *store.Export) (int64, error) {
				if err := x.Exists(ctx, store.PersonParts[0], id); err != nil {
					return 0, err
				}
				files, err = writeArchive(out, now, map[string]any{"user_id": id}, func(a *archive) error {
					for _, p := range store.PersonParts {
						if err := a.addPart(ctx, x, p, id); err != nil {
							return err
						}
					}
					return nil
				})
				return exportedRows(files), err
			})
			return files, err
		})
}
