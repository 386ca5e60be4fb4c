import type { AuditRecord } from "@miranda/contract/schemas/audit.ts";

import { csvCell } from "@miranda/contract/words/csv-cell.ts";

const columns = [
  ...["number", "time", "person", "person id", "what", "kind", "result", "project", "project id"],
  ...["subject", "subject id", "address", "browser", "details"],
];
const perPage = 1_000;

export type ReadAuditEvents = (after: number | undefined, limit: number) => Promise<AuditRecord[]>;

/** Reads page by page, so that a log of any length needs little memory. */
async function* pages(read: ReadAuditEvents): AsyncGenerator<AuditRecord[]> {
  let after: number | undefined;
  for (;;) {
    const events = await read(after, perPage);
    if (events.length > 0) yield events;
    after = events.at(-1)?.id;
    if (events.length < perPage) return;
  }
}

export async function* csvParts(read: ReadAuditEvents): AsyncGenerator<string> {
  yield `${columns.join(",")}\r\n`;
  for await (const events of pages(read)) yield events.map(csvLine).join("");
}

/** One JSON object in each line. */
export async function* jsonLines(read: ReadAuditEvents): AsyncGenerator<string> {
  for await (const events of pages(read)) yield events.map((event) => `${JSON.stringify(event)}\n`).join("");
}

function csvLine({ id, time, actor, sentence, kind, result, project, subject, ...event }: AuditRecord): string {
  const cells = [
    ...[String(id), time, actor?.name, actor?.id, sentence, kind, result, project?.name, project?.id],
    ...[subject?.name, subject?.id, event.address, event.browser, JSON.stringify(event.details)],
  ];
  return `${cells.map((cell) => csvCell(cell ?? "")).join(",")}\r\n`;
}
