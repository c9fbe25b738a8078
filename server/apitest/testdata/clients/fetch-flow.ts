// The whole flow through openapi-typescript and openapi-fetch, with the client of the guide.
import assert from "node:assert/strict";
import { bizfin, search } from "./fetch-client.ts";
import { partnerToken } from "./sign.ts";
import { accounts, batches, ids, year } from "./rows.ts";

const partner = process.env.BIZFIN_PARTNER_ID!;
const client = bizfin(process.env.API!, partner, () => partnerToken("user-1", "biz-1", [{ id: "biz-1", name: "Bakery", role: "owner" }]));
const header = { "X-Service-Partner": partner };

const connected = await client.POST("/auth/partner", { params: { header } });
assert(connected.data, JSON.stringify(connected.error));
const { organization_id, source_id } = connected.data;
assert(organization_id && source_id);
const path = { organization_id };

const saved = await client.POST("/organizations/{organization_id}/accounts", { params: { path }, body: { source_id, accounts } });
assert(saved.data, JSON.stringify(saved.error));
const account = ids(saved.data.accounts).get("checking")!;
const card = ids(saved.data.accounts).get("card")!;

const upload = async (account_id: string, transactions: (typeof batches)[number]) => {
  const { data, error } = await client.POST("/organizations/{organization_id}/accounts/{account_id}/transactions", { params: { path: { organization_id, account_id } }, body: { transactions } });
  assert(data, JSON.stringify(error));
  return ids(data.transactions);
};
const first = await upload(account, batches[0]!);
await upload(account, batches[1]!);
assert.deepEqual(await upload(account, batches[0]!), first, "a batch that is sent again keeps its ids");
await upload(card, [{ external_id: "lunch", amount: -12.3, date: "2026-05-01", description: "LUNCH" }]);

const one = await search(client, organization_id, [card]);
assert.equal(one.data?.transactions.length, 1);
assert.equal(one.data.transactions[0]?.amount, -12.3);
const both = await search(client, organization_id, [card, account]);
assert(both.data?.nextCursor, "there are more rows than a page has");
const next = await client.GET("/organizations/{organization_id}/transactions", { params: { path, query: { accountIds: JSON.stringify([card, account]), cursor: both.data.nextCursor } } });
assert.equal(next.data?.transactions.length, 20);

const cash = await client.GET("/organizations/{organization_id}/reports/cashflow", { params: { path, query: { ...year, categoryNames: JSON.stringify(["Expenses"]), periodGrouping: "quarter" } } });
assert.deepEqual(cash.data?.basis.filters.categoryNames, ["Expenses"]);
const pnl = await client.GET("/organizations/{organization_id}/reports/pnl", { params: { path, query: { ...year, categoryPaths: JSON.stringify([["Expenses", "Advertising"]]) } } });
assert.deepEqual(pnl.data?.basis.filters.categoryPaths, [["Expenses", "Advertising"]]);

const open = await client.GET("/organizations/{organization_id}/outstanding-issues", { params: { path } });
const issue = open.data?.issues[0];
assert(issue);
const answered = await client.POST("/organizations/{organization_id}/outstanding-issues/{id}/answers", { params: { path: { organization_id, id: issue.id } }, body: { answer: "Meals", selectedOption: issue.options[0]!.value } });
assert.equal(answered.data?.status, "accepted");

const wrong = await client.POST("/organizations/{organization_id}/accounts", { params: { path }, body: { source_id, accounts: [{ ...accounts[0]!, currency: "usd" }] } });
assert.equal(wrong.response.status, 422);
assert.equal(wrong.error?.issues?.[0]?.path, "/accounts/0/currency");
const absent = await client.GET("/organizations/{organization_id}/transactions/{transaction_id}", { params: { path: { organization_id, transaction_id: "x" } } });
assert.equal(absent.response.status, 404);
assert(absent.error?.error);
// @ts-expect-error An array is not the JSON text that the parameter takes.
client.GET.bind(client, "/organizations/{organization_id}/transactions", { params: { path, query: { accountIds: [card] } } });
console.log("done");
