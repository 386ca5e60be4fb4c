import { spending as limits } from "@miranda/contract/limits.ts";
import type {
  InstallationSpending,
  InstallationSpendingFile,
  InstallationSpendingQuery,
} from "@miranda/contract/schemas/billing/installation-spending.ts";

import { csvCell } from "@miranda/contract/words/csv-cell.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Zones } from "../spending/zones.ts";
import { type Days, type DetailRow, installationSpendingQueries as queries } from "./installation-spending-queries.ts";

export type InstallationSpendings = ReturnType<typeof createInstallationSpending>;

const dayLength = 86_400_000;
const columns = ["month", "person", "project", "app", "source", "paid by", "amount", "currency"];

/** What everybody has spent. Its routes are for administrators only. */
export function createInstallationSpending({ db, zones, currency }: { db: Db; zones: Zones; currency: string }) {
  async function daysOf({ zone, from, to }: InstallationSpendingFile): Promise<Days> {
    await zones.check(zone);
    const last = to ?? zones.today(zone);
    const first = from ?? dayBefore(last, limits.days - 1);
    if ((Date.parse(last) - Date.parse(first)) / dayLength + 1 > limits.reportDaysMax)
      throw new AppError("too_many_report_days");
    return { zone, from: first, to: last };
  }

  return {
    async rows({ by, after, limit, ...range }: InstallationSpendingQuery): Promise<InstallationSpending> {
      const days = await daysOf(range);
      const [rows, total] = await Promise.all([
        queries.rows(db, { ...days, by, after, limit: limit + 1 }),
        queries.total(db, days),
      ]);
      const next = rows.length > limit ? after + limit : null;
      return { from: days.from, to: days.to, total, rows: rows.slice(0, limit), next };
    },

    /** A line for each month, person, project and app. Read month by month, so that years need little memory. */
    async csv(range: InstallationSpendingFile): Promise<AsyncIterable<string>> {
      const days = await daysOf(range);
      return csvParts(db, days, currency);
    },
  };
}

async function* csvParts(db: Db, days: Days, currency: string): AsyncGenerator<string> {
  yield `${columns.join(",")}\r\n`;
  for (const month of monthsOf(days)) {
    const rows = await queries.details(db, { ...days, ...month });
    if (rows.length > 0) yield rows.map((row) => lineOf(row, currency)).join("");
  }
}

function lineOf({ month, person, project, app, source, payer, purse, amount }: DetailRow, currency: string): string {
  const payers = purse ? "project credits" : (payer ?? "");
  const texts = [person ?? "", project, app ?? "", source, payers].map(csvCell);
  return `${[month, ...texts, amount, csvCell(currency)].join(",")}\r\n`;
}

function* monthsOf({ from, to }: Days): Generator<{ from: string; to: string }> {
  let first = from;
  while (first <= to) {
    const [year = 0, month = 0] = first.split("-").map(Number);
    const last = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
    yield { from: first, to: last < to ? last : to };
    first = new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10);
  }
}

function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - days * dayLength).toISOString().slice(0, 10);
}
