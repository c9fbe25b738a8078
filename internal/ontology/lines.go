package ontology

// FormYear is the tax year of the form that [Lines] follows.
const FormYear = 2025

// Line is a line of Schedule C that holds an amount.
type Line struct {
	Number   string // "24b"
	Label    string // caption of the form, made readable without its neighbors
	Part     string // "I", "II" or "III"
	Computed bool   // worked out from other lines; no transaction is assigned to it
}

// Lines are the amount lines of Parts I to III in the form's order. Lines 32 to
// 34 and 43 to 47 ask for information, and line 48 repeats line 27b.
// The slice is shared and must not be modified.
//
// Source: IRS Schedule C (Form 1040), tax year [FormYear].
var Lines = []Line{
	{"1", "Gross receipts or sales", "I", false},
	{"2", "Returns and allowances", "I", false},
	{"3", "Net receipts (line 1 less line 2)", "I", true},
	{"4", "Cost of goods sold (from line 42)", "I", true},
	{"5", "Gross profit (line 3 less line 4)", "I", true},
	{"6", "Other income, including federal and state gasoline or fuel tax credit or refund", "I", false},
	{"7", "Gross income (line 5 plus line 6)", "I", true},
	{"8", "Advertising", "II", false},
	{"9", "Car and truck expenses", "II", false},
	{"10", "Commissions and fees", "II", false},
	{"11", "Contract labor", "II", false},
	{"12", "Depletion", "II", false},
	{"13", "Depreciation and section 179 expense deduction (not included in Part III)", "II", false},
	{"14", "Employee benefit programs (other than on line 19)", "II", false},
	{"15", "Insurance (other than health)", "II", false},
	{"16a", "Interest: mortgage (paid to banks, etc.)", "II", false},
	{"16b", "Interest: other", "II", false},
	{"17", "Legal and professional services", "II", false},
	{"18", "Office expense", "II", false},
	{"19", "Pension and profit-sharing plans", "II", false},
	{"20a", "Rent or lease: vehicles, machinery, and equipment", "II", false},
	{"20b", "Rent or lease: other business property", "II", false},
	{"21", "Repairs and maintenance", "II", false},
	{"22", "Supplies (not included in Part III)", "II", false},
	{"23", "Taxes and licenses", "II", false},
	{"24a", "Travel", "II", false},
	{"24b", "Deductible meals", "II", false},
	{"25", "Utilities", "II", false},
	{"26", "Wages (less employment credits)", "II", false},
	{"27a", "Energy efficient commercial bldgs deduction (Form 7205)", "II", false},
	{"27b", "Other expenses (from line 48)", "II", false},
	{"28", "Total expenses before expenses for business use of home", "II", true},
	{"29", "Tentative profit or (loss) (line 7 less line 28)", "II", true},
	{"30", "Expenses for business use of your home", "II", false},
	{"31", "Net profit or (loss) (line 29 less line 30)", "II", true},
	{"35", "Inventory at beginning of year", "III", false},
	{"36", "Purchases less cost of items withdrawn for personal use", "III", false},
	{"37", "Cost of labor (no amounts paid to yourself)", "III", false},
	{"38", "Materials and supplies", "III", false},
	{"39", "Other costs", "III", false},
	{"40", "Total of lines 35 through 39", "III", true},
	{"41", "Inventory at end of year", "III", false},
	{"42", "Cost of goods sold (line 40 less line 41)", "III", true},
}

// lineByNumber finds a line by its number on the form, such as "24b".
func lineByNumber(number string) (Line, bool) {
	for _, line := range Lines {
		if line.Number == number {
			return line, true
		}
	}
	return Line{}, false
}
