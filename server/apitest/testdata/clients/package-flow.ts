// The flow of a partner who has installed the package.
import assert from "node:assert/strict";
import { bizfin, Refused, snapshotSignature, snapshotSigned, taken, transactions, uploadAll, type Signer } from "bizfin-client";
import { accounts, rows } from "./rows.ts";

const signer: Signer = {
  partner: process.env.BIZFIN_PARTNER_ID!, audience: process.env.BIZFIN_AUDIENCE!, secret: process.env.BIZFIN_PARTNER_SECRET!,
};
const person = { id: "user-1", selected: "biz-1", businesses: [{ id: "biz-1", name: "Bakery", role: "owner" as const }] };
const client = bizfin(process.env.API!, signer, person);

const { organization_id, source_id } = taken(await client.POST("/auth/partner", { params: { header: { "X-Service-Partner": signer.partner } } }));
assert(organization_id && source_id);
const path = { organization_id };
const saved = taken(await client.POST("/organizations/{organization_id}/accounts", { params: { path }, body: { source_id, accounts } }));
const account = saved.accounts.find((a) => a.external_id === "checking")!.id;

const first = await uploadAll(client, organization_id, account, rows);
assert.equal(first.size, rows.length);
assert.deepEqual(await uploadAll(client, organization_id, account, rows), first, "what is sent again keeps its ids");
const seen = new Set<string>();
for await (const row of transactions(client, organization_id, { accountIds: [account] })) seen.add(row.id);
assert.equal(seen.size, rows.length);

await assert.rejects(uploadAll(client, organization_id, account, [{ ...rows[0]!, amount: 0.071 }]), (error) => {
  assert(error instanceof Refused);
  assert.equal(error.status, 422);
  assert.equal(error.issues[0]?.path, "/transactions/0/amount");
  assert(error.requestId);
  return true;
});
const signature = snapshotSignature("secret", "{}");
assert(snapshotSigned("secret", "{}", signature) && !snapshotSigned("secret", "{ }", signature) && !snapshotSigned("secret", "{}", "zz"));
console.log("done");
