package apitest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// wantPeers fails where rows are in other pairs than these, or one that is in none is not asked about.
func (o *office) wantPeers(ids map[string]string, want ...string) {
	o.t.Helper()
	o.process(0)
	var peers []string
	for name, id := range ids {
		row := o.get(o.path + "/transactions/" + id)
		if row.status == 404 {
			continue
		}
		row.want(200)
		peer, paired := row.get("transaction", "transferTransactionId").(string)
		for other, is := range ids {
			if is == peer && name < other {
				peers = append(peers, name+"-"+other)
			}
		}
		row.wantAt(!paired, "transaction", "needsAttention")
	}
	slices.Sort(peers)
	if !slices.Equal(peers, want) {
		o.t.Errorf("pairs are %q, want %q", peers, want)
	}
}

// Of rows that could as well be the other leg nobody knows which moved, whichever of them came first.
func TestAPairOfWhichAnotherRowMayAsWellBeALegIsNoneInWhateverOrderTheyCome(t *testing.T) {
	t.Parallel()
	in := transaction("in", "333.33", "2026-02-01", "TRANSFER FROM CHECKING")
	out := func(name, day string) M { return transaction(name, "-333.33", day, "TRANSFER TO SAVINGS") }
	for name, rows := range map[string][]M{
		"as good":        {in, out("o1", "2026-02-03"), out("o2", "2026-02-03")},
		"better":         {in, out("o1", "2026-02-03"), out("o2", "2026-02-01")},
		"worse":          {in, out("o1", "2026-02-01"), out("o2", "2026-02-03")},
		"in comes last":  {out("o1", "2026-02-03"), out("o2", "2026-02-01"), in},
		"of a third":     {in, out("o1", "2026-02-03"), out("o2", "2026-02-02"), out("o3", "2026-02-01")},
		"in both fourth": {in, out("o1", "2026-02-03"), out("o2", "2026-02-03"), out("o3", "2026-02-03")},
	} {
		for _, each := range []bool{true, false} {
			o, checking := openPaid(t)
			savings := o.uploadAccount("savings")
			ids := map[string]string{}
			for _, row := range rows {
				account := checking
				if row["external_id"] == "in" {
					account = savings
				}
				id := row["external_id"].(string)
				if ids[id] = o.upload(account, row)[id]; each {
					o.process(0)
				}
			}
			o.wantPeers(ids)
			o.get(o.path+"/reports/cashflow?startDate=2026-01-01&endDate=2026-12-31").want(200).
				wantAt(json.Number("333.33"), "basis", "uncategorized", "inflow")
			if t.Failed() {
				t.Fatal(name, each)
			}
			for _, row := range rows {
				if id := row["external_id"].(string); id != "in" && id != "o1" {
					o.delete(o.path + "/transactions/" + ids[id]).want(200)
				}
			}
			o.wantPeers(ids, "in-o1")
			if t.Failed() {
				t.Fatal(name, each, "deleted")
			}
		}
	}
}

// As many rows as there are legs are pairs, whichever came first; and so is what a person said.
func TestPairsOfAsManyRowsAsThereAreLegsStand(t *testing.T) {
	t.Parallel()
	o, checking := openPaid(t)
	savings := o.uploadAccount("savings")
	ids := map[string]string{}
	for i, day := range []string{"2026-02-03", "2026-02-04"} {
		out, in := fmt.Sprint("a", i), fmt.Sprint("b", i)
		ids[out] = o.upload(checking, transaction(out, "-333.33", day, "TRANSFER TO SAVINGS"))[out]
		o.process(0)
		ids[in] = o.upload(savings, transaction(in, "333.33", day, "TRANSFER FROM CHECKING"))[in]
		o.process(0)
	}
	o.wantPeers(ids, "a0-b0", "a1-b1")
	o.answerIssue("t:"+ids["a0"], "transfer.internal", nil).want(200)
	o.process(0)
	ids["a2"] = o.upload(checking, transaction("a2", "-333.33", "2026-02-03", "TRANSFER TO SAVINGS"))["a2"]
	o.process(0)
	o.get(o.path+"/transactions/"+ids["a0"]).want(200).wantAt(ids["b0"], "transaction", "transferTransactionId")
	o.get(o.path+"/transactions/"+ids["a1"]).want(200).wantAt(nil, "transaction", "transferTransactionId")
}

// However rows come, one by one or all at once, the same are legs and refunds.
func TestPairsAndRefundsDoNotDependOnTheOrderOfUploads(t *testing.T) {
	t.Parallel()
	lines := [][]string{
		{"TRANSFER TO SAVINGS", "TRANSFER FROM SAVINGS", "ONLINE TRANSFER", stationer, stationer + " RETURN",
			"CHECK 1001", "PAYMENT TO CREDIT CARD"},
		{"TRANSFER FROM CHECKING", "TRANSFER TO CHECKING", "ONLINE TRANSFER", "DEPOSIT"},
		{"PAYMENT THANK YOU", stationer, stationer + " RETURN"},
	}
	amounts := []string{"100.00", "-100.00", "333.33", "-333.33", "60.00", "-60.00", "40.00", "-40.00"}
	for seed := range uint64(3) {
		random := rand.New(rand.NewPCG(seed, 121))
		rows := make([]M, 36)
		of := make([]int, len(rows))
		for i := range rows {
			of[i] = random.IntN(len(lines))
			description := lines[of[i]][random.IntN(len(lines[of[i]]))]
			rows[i] = transaction(fmt.Sprint(i), amounts[random.IntN(len(amounts))],
				fmt.Sprintf("2026-03-%02d", 1+random.IntN(20)), description)
		}
		books := func(order []int, each bool) (is []string) {
			o, checking := openPaid(t)
			accounts := []string{checking, o.uploadAccount("savings"), o.uploadAccount("card")}
			ids := make([]string, len(rows))
			for _, i := range order {
				if ids[i] = o.upload(accounts[of[i]], rows[i])[fmt.Sprint(i)]; each {
					o.process(0)
				}
			}
			o.process(0)
			for i, id := range ids {
				row := o.get(o.path + "/transactions/" + id).want(200)
				category, _ := row.get("transaction", "category").(map[string]any)
				paired := row.get("transaction", "transferTransactionId") != nil
				isRefund := row.get("transaction", "isRefund")
				is = append(is, fmt.Sprint(rows[i], category["categoryPath"], isRefund, paired))
			}
			return is
		}
		once := books(random.Perm(len(rows)), false)
		for i, each := range books(random.Perm(len(rows)), true) {
			if each != once[i] {
				t.Errorf("seed %d: one by one %s, at once %s", seed, each, once[i])
			}
		}
	}
}
