// The whole flow through hey-api, with the settings of the guide.
import assert from "node:assert/strict";
import {
  answerOutstandingIssue, connectPartner, getCashflowReport, getPnlReport, getTransaction, listOutstandingIssues, searchTransactions, uploadAccounts, uploadTransactions,
} from "./heyapi/index.ts";
import { configure } from "./hey-client.ts";
import { partnerToken } from "./sign.ts";
import { accounts, batches, ids, year } from "./rows.ts";

const partner = process.env.BIZFIN_PARTNER_ID!;
configure(process.env.API!, partner, () => partnerToken("user-1", "biz-1", [{ id: "biz-1", name: "Bakery", role: "owner" }]));

const connected = await connectPartner({ headers: { "X-Service-Partner": partner } });
assert(connected.data, JSON.stringify(connected.error));
const { organization_id, source_id } = connected.data;
assert(organization_id && source_id);
const path = { organization_id };

const saved = await uploadAccounts({ path, body: { source_id, accounts } });
assert(saved.data, JSON.stringify(saved.error));
const account = ids(saved.data.accounts).get("checking")!;
const card = ids(saved.data.accounts).get("card")!;

const upload = async (account_id: string, transactions: (typeof batches)[number]) => {
  const { data, error } = await uploadTransactions({ path: { organization_id, account_id }, body: { transactions } });
  assert(data, JSON.stringify(error));
  return ids(data.transactions);
};
const first = await upload(account, batches[0]!);
await upload(account, batches[1]!);
assert.deepEqual(await upload(account, batches[0]!), first, "a batch that is sent again keeps its ids");
await upload(card, [{ external_id: "lunch", amount: -12.3, date: "2026-05-01", description: "LUNCH" }]);

const one = await searchTransactions({ path, query: { accountIds: [card] } });
assert.equal(one.data?.transactions.length, 1, JSON.stringify(one.error));
assert.equal(one.data.transactions[0]?.amount, -12.3);
const both = await searchTransactions({ path, query: { accountIds: [card, account], limit: 50 } });
assert(both.data?.nextCursor, "there are more rows than a page has");
const next = await searchTransactions({ path, query: { accountIds: [card, account], cursor: both.data.nextCursor } });
assert.equal(next.data?.transactions.length, 20);

const cash = await getCashflowReport({ path, query: { ...year, categoryNames: ["Expenses"], periodGrouping: "quarter" } });
assert.deepEqual(cash.data?.basis.filters.categoryNames, ["Expenses"]);
const pnl = await getPnlReport({ path, query: { ...year, categoryPaths: [["Expenses", "Advertising"]] } });
assert.deepEqual(pnl.data?.basis.filters.categoryPaths, [["Expenses", "Advertising"]]);

const open = await listOutstandingIssues({ path });
const issue = open.data?.issues[0];
assert(issue);
const answered = await answerOutstandingIssue({ path: { organization_id, id: issue.id }, body: { answer: "Meals", selectedOption: issue.options[0]!.value } });
assert.equal(answered.data?.status, "accepted");

const wrong = await uploadAccounts({ path, body: { source_id, accounts: [{ ...accounts[0]!, currency: "usd" }] } });
assert.equal(wrong.response?.status, 422);
assert.equal(wrong.error?.issues?.[0]?.path, "/accounts/0/currency");
const absent = await getTransaction({ path: { organization_id, transaction_id: "x" } });
assert.equal(absent.response?.status, 404);
assert(absent.error?.error);
console.log("done");
