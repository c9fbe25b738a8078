// What both TypeScript flows upload.
export const accounts = ["checking", "card"].map((external_id) => ({
  external_id, name: "Account " + external_id, type: "depository" as const, currency: "USD", current_balance: 1200.5,
}));

/** 600 rows: more than one batch. */
export const rows = Array.from({ length: 600 }, (_, i) => ({
  external_id: `row-${i}`, amount: -(100 + i) / 100, date: `2026-0${1 + (i % 9)}-15`, description: `FLOUR MILL ${i}`,
}));

export const batches = [rows.slice(0, 500), rows.slice(500)];
export const year = { startDate: "2026-01-01", endDate: "2026-12-31" };
export const ids = (list: { id: string; external_id: string }[]) => new Map(list.map((r) => [r.external_id, r.id]));
