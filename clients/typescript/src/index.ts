import createClient, { type Client } from "openapi-fetch";
import { retrying } from "./retry.ts";
import type { components, operations, paths } from "./schema.gen.ts";
import { partnerToken, type Person, type Signer } from "./sign.ts";

export * from "./sign.ts";
export type { components, operations, paths } from "./schema.gen.ts";

export type Bizfin = Client<paths>;
export type Transaction = components["schemas"]["Transaction"];
export type UploadedTransaction = components["schemas"]["UploadedTransaction"];
type ErrorBody = components["schemas"]["ErrorBody"];

/**
 * A typed client of the API at an address such as https://api.example/api/v1. It signs each attempt of a request as the person
 * and repeats what failed for the moment, since every operation can be sent again.
 */
export function bizfin(address: string, signer: Signer, person: Person): Bizfin {
  const sign = (headers: Headers) => {
    headers.set("X-Service-Partner", signer.partner);
    headers.set("Authorization", `Bearer ${partnerToken(signer, person)}`);
  };
  return createClient<paths>({ baseUrl: address, fetch: retrying(sign) });
}

/** An answer other than 200. */
export class Refused extends Error {
  readonly status: number;
  /** Tell it to the support. */
  readonly requestId: string | null;
  /** With 422, every problem of the request. */
  readonly issues: NonNullable<ErrorBody["issues"]>;

  constructor(response: Response, body: ErrorBody | undefined) {
    super(body?.error ?? `${response.status} ${response.statusText}`);
    this.name = "Refused";
    this.status = response.status;
    this.requestId = response.headers.get("X-Request-Id");
    this.issues = body?.issues ?? [];
  }
}

/** The data of an answer, or its refusal as an exception. */
export function taken<T>(answer: { data?: T; error?: ErrorBody; response: Response }): T {
  if (answer.data === undefined) throw new Refused(answer.response, answer.error);
  return answer.data;
}

const batchRecords = 500;
const batchBytes = 1_000_000; // 1 MiB in all, with room for the rest of the body

/**
 * Uploads transactions of one account in batches, one after another, and returns the service's ids by external_id. Sent again,
 * also after an error half-way, it changes nothing that was saved and gives the same ids.
 */
export async function uploadAll(
  client: Bizfin, organization_id: string, account_id: string, rows: UploadedTransaction[],
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const transactions of batches(rows)) {
    const { transactions: saved } = taken(
      await client.POST("/organizations/{organization_id}/accounts/{account_id}/transactions", {
        params: { path: { organization_id, account_id } },
        body: { transactions },
      }),
    );
    for (const { external_id, id } of saved) ids.set(external_id, id);
  }
  return ids;
}

function* batches(rows: UploadedTransaction[]): Generator<UploadedTransaction[]> {
  let batch: UploadedTransaction[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = Buffer.byteLength(JSON.stringify(row)) + 1;
    if (batch.length === batchRecords || (batch.length > 0 && bytes + size > batchBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(row);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

type Search = Omit<NonNullable<operations["searchTransactions"]["parameters"]["query"]>, "accountIds" | "cursor" | "detail">;

/** All rows that a search finds, page after page as they are asked for. */
export async function* transactions(
  client: Bizfin, organization_id: string, search: Search & { accountIds?: string[] } = {},
): AsyncGenerator<Transaction> {
  const { accountIds, ...rest } = search;
  const filter = accountIds ? { ...rest, accountIds: JSON.stringify(accountIds) } : rest;
  for (let cursor: string | undefined; ; ) {
    const page = taken(
      await client.GET("/organizations/{organization_id}/transactions", {
        params: { path: { organization_id }, query: cursor === undefined ? filter : { ...filter, cursor } },
      }),
    );
    yield* page.transactions;
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}
