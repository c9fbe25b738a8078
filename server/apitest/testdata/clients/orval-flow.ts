// The whole flow through orval and the simple document, with the fetch of the guide.
import assert from "node:assert/strict";
import {
  answerOutstandingIssue, connectPartner, getCashflowReport, getPnlReport, getTransaction, listOutstandingIssues, searchTransactions, uploadAccounts, uploadTransactions,
} from "./orval/bizfin.ts";
import { configure } from "./orval-fetch.ts";
import { partnerToken } from "./sign.ts";
import { accounts, batches, ids, year } from "./rows.ts";

const partner = process.env.BIZFIN_PARTNER_ID!;
const token = () => partnerToken("user-1", "biz-1", [{ id: "biz-1", name: "Bakery", role: "owner" }]);
configure({ api: process.env.API!, partner, token });

const connected = await connectPartner();
assert(connected.status === 200, JSON.stringify(connected.data));
const { organization_id, source_id } = connected.data;
assert(organization_id && source_id);

const saved = await uploadAccounts(organization_id, { source_id, accounts });
assert(saved.status === 200, JSON.stringify(saved.data));
const account = ids(saved.data.accounts).get("checking")!;
const card = ids(saved.data.accounts).get("card")!;

const upload = async (account_id: string, transactions: (typeof batches)[number]) => {
  const answer = await uploadTransactions(organization_id, account_id, { transactions });
  assert(answer.status === 200, JSON.stringify(answer.data));
  return ids(answer.data.transactions);
};
const first = await upload(account, batches[0]!);
await upload(account, batches[1]!);
assert.deepEqual(await upload(account, batches[0]!), first, "a batch that is sent again keeps its ids");
await upload(card, [{ external_id: "lunch", amount: -12.3, date: "2026-05-01", description: "LUNCH" }]);

const one = await searchTransactions(organization_id, { accountIds: JSON.stringify([card]) });
assert(one.status === 200);
assert.equal(one.data.transactions.length, 1);
assert.equal(one.data.transactions[0]?.amount, -12.3);
const both = await searchTransactions(organization_id, { accountIds: JSON.stringify([card, account]), limit: 50 });
assert(both.status === 200);
assert(both.data.nextCursor, "there are more rows than a page has");
const next = await searchTransactions(organization_id, { accountIds: JSON.stringify([card, account]), cursor: both.data.nextCursor });
assert(next.status === 200);
assert.equal(next.data.transactions.length, 20);

const cash = await getCashflowReport(organization_id, { ...year, categoryNames: JSON.stringify(["Expenses"]), periodGrouping: "quarter" });
assert(cash.status === 200);
assert.deepEqual(cash.data.basis.filters.categoryNames, ["Expenses"]);
const pnl = await getPnlReport(organization_id, { ...year, categoryPaths: JSON.stringify([["Expenses", "Advertising"]]) });
assert(pnl.status === 200);
assert.deepEqual(pnl.data.basis.filters.categoryPaths, [["Expenses", "Advertising"]]);

const open = await listOutstandingIssues(organization_id);
assert(open.status === 200);
const issue = open.data.issues[0];
assert(issue);
const answered = await answerOutstandingIssue(organization_id, issue.id, { answer: "Meals", selectedOption: issue.options[0]!.value });
assert(answered.status === 200);
assert.equal(answered.data.status, "accepted");

const wrong = await uploadAccounts(organization_id, { source_id, accounts: [{ ...accounts[0]!, currency: "usd" }] });
assert(wrong.status === 422);
assert.equal(wrong.data.issues?.[0]?.path, "/accounts/0/currency");
const absent = await getTransaction(organization_id, "x");
assert(absent.status === 404);
assert(absent.data.error);
console.log("done");
