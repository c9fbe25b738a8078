package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// textColumn is a column of a business's texts.
type textColumn struct {
	Table  string `db:"table_name"`
	Column string `db:"column_name"`
	Type   string `db:"type"`
}

// organization is the column of its table that has the business.
func (c textColumn) organization() string {
	if c.Table == "organizations" {
		return "id"
	}
	return "organization_id"
}

// textColumns are all of them. The names that partners and providers know rows by are left out: without them the next
// upload would count a row twice.
func (d *DB) textColumns(ctx context.Context) (columns []textColumn, err error) {
	err = d.db.SelectContext(ctx, &columns, `
		SELECT c.table_name, c.column_name, c.udt_name AS type
		FROM information_schema.columns c
		WHERE c.table_schema = current_schema()
		  AND c.table_name = ANY ($1)
		  AND c.udt_name IN ('text', '_text', 'jsonb')
		  AND c.is_generated = 'NEVER'
		  AND c.column_name NOT IN (
		    'partner_id', 'business_id', 'external_id', 'feed_account', 'seen_accounts', 'cursor')
		ORDER BY c.table_name <> 'transactions', c.table_name, c.column_name`,
		pq.StringArray(append(slices.Clone(erasedTables), "organizations")))
	return columns, translate(ctx, err)
}

// addressesOf are the e-mails of people.
func (d *DB) addressesOf(ctx context.Context, people []uuid.UUID) (addresses []string, err error) {
	err = d.db.SelectContext(ctx, &addresses, `
		SELECT DISTINCT email
		FROM persons
		WHERE id = ANY ($1::uuid[])
		  AND email <> ''`,
		uuids(people))
	return addresses, translate(ctx, err)
}

// mentions are the businesses whose texts have an address, in any case of letters.
type mentions map[string][]uuid.UUID

// of are those of some addresses, each once.
func (m mentions) of(addresses ...string) []uuid.UUID {
	var all []uuid.UUID
	for _, address := range addresses {
		all = append(all, m[address]...)
	}
	slices.SortFunc(all, CompareUUIDs)
	return slices.Compact(all)
}

// searchedAtOnce businesses are looked through by one statement.
const searchedAtOnce = 20

// mentioned looks for addresses in the texts of all businesses: a person may be in the books of those they never were
// in. It reads all texts there are, once for all addresses.
func (d *DB) mentioned(ctx context.Context, addresses []string) (mentions, error) {
	found := mentions{}
	if len(addresses) == 0 {
		return found, nil
	}
	columns, err := d.textColumns(ctx)
	if err != nil {
		return nil, err
	}
	texts := map[string][]string{}
	for _, c := range columns {
		texts[c.Table] = append(texts[c.Table], c.Column+"::text")
	}
	var after uuid.UUID
	for {
		var some []uuid.UUID
		err := d.db.SelectContext(ctx, &some, `
			SELECT id
			FROM organizations
			WHERE id > $1
			ORDER BY id
			LIMIT $2`,
			after, searchedAtOnce)
		if err != nil || len(some) == 0 {
			return found, translate(ctx, err)
		}
		after = some[len(some)-1]
		for table, of := range texts {
			if err := d.mentionedIn(ctx, textColumn{Table: table}, of, some, addresses, found); err != nil {
				return nil, err
			}
		}
	}
}

// mentionedIn looks through the texts of one table.
func (d *DB) mentionedIn(ctx context.Context, c textColumn, texts []string, organizations []uuid.UUID,
	addresses []string, found mentions) error {
	var rows []struct {
		OrganizationID uuid.UUID `db:"organization_id"`
		Address        string    `db:"address"`
	}
	err := d.db.SelectContext(ctx, &rows, fmt.Sprintf(`
		SELECT DISTINCT r.organization_id, a.address
		FROM (
		  SELECT %[1]s AS organization_id, lower(concat_ws(E'\n', %[3]s)) AS text
		  FROM %[2]s
		  WHERE %[1]s = ANY ($1::uuid[])) r
		JOIN unnest($2::text[]) AS a (address) ON strpos(r.text, lower(a.address)) > 0
		WHERE strpos(r.text, '@') > 0
		   OR strpos(a.address, '@') = 0`, c.organization(), c.Table, strings.Join(texts, ", ")),
		uuids(organizations), pq.StringArray(addresses))
	for _, r := range rows {
		if !slices.Contains(found[r.Address], r.OrganizationID) {
			found[r.Address] = append(found[r.Address], r.OrganizationID)
		}
	}
	return translate(ctx, err)
}

// takeOutOfTexts replaces an address in all texts of a business, some rows at a time.
func (d *DB) takeOutOfTexts(ctx context.Context, organization uuid.UUID, email, instead string, done Erased) error {
	columns, err := d.textColumns(ctx)
	if err != nil {
		return err
	}
	o, pattern := d.Organization(organization), wholeAddress(email)
	for _, c := range columns {
		for more := true; more; {
			var rows int64
			err := d.inTx(ctx, func(tx *sqlx.Tx) (err error) {
				if err := o.shareBusiness(ctx, tx); err != nil {
					return err
				}
				rows, err = o.takeOut(ctx, tx, c, pattern, instead)
				return err
			})
			if err != nil {
				return err
			}
			if rows > 0 {
				done[c.Table+"."+c.Column] += rows
			}
			more = rows == erasedAtOnce
		}
	}
	return nil
}

// takeOut replaces what a pattern matches in one column of some rows of the business, and returns how many these were.
func (o *Organization) takeOut(ctx context.Context, tx *sqlx.Tx, c textColumn, pattern, instead string) (int64,
	error) {
	replaced := fmt.Sprintf("regexp_replace(%s::text, $2, $3, 'gi')::%s", c.Column,
		strings.Replace(c.Type, "_text", "text[]", 1))
	if c.Table == "transactions" { // beside which things are kept
		var ids []uuid.UUID
		err := tx.SelectContext(ctx, &ids, fmt.Sprintf(`
			SELECT id
			FROM transactions
			WHERE organization_id = $1
			  AND %[1]s::text ~* $2
			LIMIT $3`, c.Column), o.ID, pattern, erasedAtOnce)
		if err != nil || len(ids) == 0 {
			return 0, err
		}
		return o.writeRows(ctx, tx, ids, fmt.Sprintf(`
			UPDATE transactions t
			SET %s = %s
			WHERE organization_id = $1
			  AND id = ANY ($4::uuid[])`, c.Column, replaced), o.ID, pattern, instead, uuids(ids))
	}
	result, err := tx.ExecContext(ctx, fmt.Sprintf(`
		UPDATE %[1]s t
		SET %[2]s = r.replaced
		FROM (
		  SELECT ctid AS place, %[3]s AS replaced
		  FROM %[1]s
		  WHERE %[4]s = $1
		    AND %[2]s::text ~* $2
		  LIMIT $4) r
		WHERE t.ctid = r.place /*spread: AND t.%[4]s = $1 */`, c.Table, c.Column, replaced, c.organization()),
		o.ID, pattern, instead, erasedAtOnce)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// wholeAddress is a pattern of an address that is not a part of a longer one.
func wholeAddress(email string) string {
	var p strings.Builder
	for _, r := range email {
		if strings.ContainsRune(`\.+*?()|[]{}^$`, r) {
			p.WriteByte('\\')
		}
		p.WriteRune(r)
	}
	return `(?<![[:alnum:]._%+-])` + p.String() + `(?![[:alnum:]-]|\.[[:alnum:]])`
}
