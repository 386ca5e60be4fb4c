import type { LedgerEntry } from "@miranda/contract/schemas/billing/spending.ts";

import { csvCell } from "@miranda/contract/words/csv-cell.ts";

const columns = [
  ...["day", "kind", "source", "project", "workflow", "person", "session", "amount", "paid from", "note"],
  "currency",
];
const perPage = 1_000;

/** Reads entries page by page, so that a ledger of any length needs little memory. */
export async function* csvParts(
  currency: string,
  read: (after: string | undefined, limit: number) => Promise<LedgerEntry[]>,
): AsyncGenerator<string> {
  yield `${columns.join(",")}\r\n`;
  let after: string | undefined;
  for (;;) {
    const entries = await read(after, perPage);
    if (entries.length > 0) yield entries.map((entry) => lineOf(entry, currency)).join("");
    after = entries.at(-1)?.key;
    if (entries.length < perPage) return;
  }
}

function lineOf(entry: LedgerEntry, currency: string): string {
  const { day, kind, source, project, workflow, person, session_id, amount, purse, note } = entry;
  const texts = [source, project?.name ?? "", workflow?.name ?? "", person, session_id ?? ""].map(csvCell);
  return `${[day, kind, ...texts, amount, purse ? "purse" : "account", csvCell(note), csvCell(currency)].join(",")}\r\n`;
}
