import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";

/** One of a person's businesses, by the partner's own id. */
export interface Business {
  id: string;
  name: string;
  role: "owner" | "member";
}

/** Whom a token is for, with all of the person's businesses. */
export interface Person {
  /** Stable, 1 to 255 characters. */
  id: string;
  email?: string;
  name?: string;
  /** The id of one of the businesses; absent only where there are none. */
  selected?: string;
  businesses: Business[];
  tier?: "free" | "paid";
  /** Makes the token one that accepts this sign-in of an agent, and is good for nothing else. */
  agentRequest?: string;
}

/** What a partner was given for an environment. The secret never leaves the partner's server. */
export interface Signer {
  partner: string;
  audience: string;
  secret: string | Uint8Array;
  /** Of a token; five minutes where it is absent. */
  lifetimeSeconds?: number;
}

/** A new token for a person (HS256). */
export function partnerToken(signer: Signer, person: Person): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: signer.partner,
    aud: signer.audience,
    sub: person.id,
    email: person.email,
    name: person.name,
    iat: now,
    exp: now + (signer.lifetimeSeconds ?? 300),
    jti: randomUUID(),
    payload: { business_id: person.selected ?? null, businesses: person.businesses, tier: person.tier },
    agent_request: person.agentRequest,
  };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", signer.secret).update(signed).digest("base64url")}`;
}

/** The x-service-signature of a webhook's body, exactly as it is sent. */
export function snapshotSignature(secret: string | Uint8Array, body: string | Uint8Array): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

/** Whether a signature is that of the body, found in a time that says nothing of the secret. */
export function snapshotSigned(secret: string | Uint8Array, body: string | Uint8Array, signature: string): boolean {
  const wanted = Buffer.from(snapshotSignature(secret, body), "hex");
  const given = Buffer.from(signature, "hex");
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
