package ontology

import (
	"strconv"
	"strings"
)

// Kind says what a category is to the books. It follows from the branch: the
// path's first segment, save for two parts of the revenue branch.
type Kind string

// The kinds, in the order of the branches. The first five make up the profit
// and loss and stand on the form; the others do not.
const (
	KindRevenue       Kind = "revenue"      // gross receipts (line 1)
	KindReturns       Kind = "returns"      // lowers gross receipts (line 2): revenue.returns
	KindOtherIncome   Kind = "other_income" // income not from sales (line 6): revenue.other
	KindCOGS          Kind = "cogs"         // Part III
	KindExpense       Kind = "expense"      // Part II
	KindTransfer      Kind = "transfer"     // between own accounts and balances
	KindEquity        Kind = "equity"
	KindLiability     Kind = "liability"
	KindAsset         Kind = "asset"
	KindTax           Kind = "tax"           // owner's income tax
	KindPersonal      Kind = "personal"      // owner's private money
	KindNondeductible Kind = "nondeductible" // business costs the law does not let it deduct
	KindUncategorized Kind = "uncategorized" // not known yet
)

// OnForm reports whether amounts of the kind are part of the profit and loss
// and stand on a line of Schedule C.
func (k Kind) OnForm() bool {
	switch k {
	case KindRevenue, KindReturns, KindOtherIncome, KindCOGS, KindExpense:
		return true
	}
	return false
}

// Earned reports whether the business earns money of this kind.
func (k Kind) Earned() bool { return k == KindRevenue || k == KindOtherIncome }

// Cost reports whether the business pays money of this kind to earn other money.
func (k Kind) Cost() bool { return k == KindExpense || k == KindCOGS }

// Side returns the direction money of this kind normally takes. A movement
// against it, such as a supplier's refund, lowers the category's amount.
func (k Kind) Side() Side {
	switch k {
	case KindRevenue, KindOtherIncome:
		return SideIn
	case KindReturns, KindCOGS, KindExpense, KindNondeductible:
		return SideOut
	}
	return SideAny
}

// Side is a direction of money, seen from the business.
type Side string

// The sides. SideAny is money that goes both ways.
const (
	SideIn  Side = "in"
	SideOut Side = "out"
	SideAny Side = "any"
)

// Category is one node of an [Ontology]. It must not be modified.
type Category struct {
	ID                int      // stable, for storage
	Path              string   // stable key, the API's categoryPath: "expense.advertising.digital"
	Names             []string // display names from the root: "Expenses", "Advertising", "Online ads"
	Name              string   // the last of Names, unique in the tree
	Kind              Kind
	Side              Side
	ScheduleCLine     string // number of a [Line] of the form; empty off the form and for headings over several lines
	DeductiblePercent int    // 0..100: the share of an amount that counts on the form's line
	Assignable        bool   // false for headings and year-end figures: no transaction gets this category
	Description       string // what belongs here, for people and agents
	Parent            *Category
	Children          []*Category // in display order
}

// IDString returns the id as the API shows it: its decimal digits.
func (c *Category) IDString() string { return strconv.Itoa(c.ID) }

// Root returns the branch the category belongs to, itself if it is a root.
func (c *Category) Root() *Category {
	for c.Parent != nil {
		c = c.Parent
	}
	return c
}

// Is reports whether the category is the one at path or lies under it:
// "revenue.returns.refunds" is "revenue" and "revenue.returns".
func (c *Category) Is(path string) bool {
	rest, ok := strings.CutPrefix(c.Path, path)
	return ok && path != "" && (rest == "" || rest[0] == '.')
}

// Descendants returns the ids of the category and of everything under it, in
// display order.
func (c *Category) Descendants() []int {
	ids := []int{c.ID}
	for _, child := range c.Children {
		ids = append(ids, child.Descendants()...)
	}
	return ids
}

// kindOf derives the kind from a path whose root is one of the known branches.
func kindOf(path string) (Kind, bool) {
	branch, rest, _ := strings.Cut(path, ".")
	kind := Kind(branch)
	switch kind {
	case KindRevenue:
		switch part, _, _ := strings.Cut(rest, "."); part {
		case "returns":
			kind = KindReturns
		case "other":
			kind = KindOtherIncome
		}
	case KindCOGS, KindExpense, KindTransfer, KindEquity, KindLiability, KindAsset,
		KindTax, KindPersonal, KindNondeductible, KindUncategorized:
	default:
		return "", false
	}
	return kind, true
}
