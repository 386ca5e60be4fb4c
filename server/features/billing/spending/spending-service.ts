import { getCredits, type Nano, sumCredits, writeCredits } from "@miranda/contract/billing/credits.ts";
import { spending as limits } from "@miranda/contract/limits.ts";
import {
  isDay,
  type LedgerEntry,
  type LedgerPage,
  type LedgerQuery,
  type SamplePage,
  type SamplesQuery,
  type SpendingDays,
  type SpendingDaysQuery,
  type SpendingOfSession,
  type SpendingParts,
  type SpendingPartsQuery,
  type SpendingSummary,
} from "@miranda/contract/schemas/billing/spending.ts";

import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Graphs } from "../../graphs/graphs-service.ts";
import type { Projects } from "../../projects/projects-service.ts";
import { tookSeconds } from "../../runs/run-times.ts";
import type { MonthBudgets } from "../budgets/month-budgets-service.ts";
import { csvParts } from "./ledger-csv.ts";
import { createSessionSpendingQueries } from "./session-spending-queries.ts";
import { shareCost } from "./share-cost.ts";
import { createSpendingQueries, type DayRow, type EntryRow, type Scope } from "./spending-queries.ts";
import type { Zones } from "./zones.ts";

interface Dependencies {
  db: Db;
  projects: Pick<Projects, "getProject">;
  graphs: Pick<Graphs, "getGraph">;
  budgets: Pick<MonthBudgets, "find">;
  zones: Zones;
  /** The currency sign. */
  currency: string;
}

export type Spending = ReturnType<typeof createSpending>;

const dayLength = 86_400_000;

/** What an account or a project has spent. Without a project, it is the caller's account. */
export function createSpending({ db, projects, graphs, budgets, zones, currency }: Dependencies) {
  const queries = createSpendingQueries(db);
  const sessions = createSessionSpendingQueries(db);

  /** Only the owner of a project sees what everybody spent in it. */
  async function scopeOf(caller: Caller, projectId: string | undefined): Promise<Scope> {
    if (projectId === undefined) return { accountId: caller.accountId };
    await projects.getProject(caller, projectId, "own");
    return { projectId };
  }

  async function mayRead(caller: Caller, graphId: string | null): Promise<boolean> {
    if (graphId === null) return false;
    return graphs.getGraph(caller, graphId, "read").then(
      () => true,
      (error: unknown) => {
        if (error instanceof AppError) return false;
        throw error;
      },
    );
  }

  async function getSession(scope: Scope, jobId: string) {
    const session = await sessions.find(scope, jobId);
    if (!session) throw new AppError("spending_not_found");
    return session;
  }

  return {
    async summary(caller: Caller, projectId: string | undefined, zone: string): Promise<SpendingSummary> {
      const scope = await scopeOf(caller, projectId);
      await zones.check(zone);
      const { balance, today, first_day, spent, last, last_until_now, forecast } = await queries.summary(scope, zone);
      const month = { first_day, spent, last, last_until_now, forecast };
      return { balance, today, month, budget: await budgets.find(scope) };
    },

    async days(caller: Caller, projectId: string | undefined, query: SpendingDaysQuery): Promise<SpendingDays> {
      const scope = await scopeOf(caller, projectId);
      await zones.check(query.zone);
      const to = query.to ?? zones.today(query.zone);
      const from = query.from ?? dayBefore(to, limits.days - 1);
      const days = daysBetween(from, to);
      const rows = await queries.days(scope, { ...query, from, to });
      const total = writeCredits(sumCredits(rows.map(({ amount }) => getCredits(amount))));
      return { from, to, total, ...partsOf(rows, days) };
    },

    async parts(caller: Caller, projectId: string | undefined, query: SpendingPartsQuery): Promise<SpendingParts> {
      const scope = await scopeOf(caller, projectId);
      await zones.check(query.zone);
      const { after, limit } = query;
      const rows = await queries.parts(scope, { ...query, limit: limit + 1 });
      return { parts: rows.slice(0, limit), next: rows.length > limit ? after + limit : null };
    },

    async ledger(caller: Caller, projectId: string | undefined, query: LedgerQuery): Promise<LedgerPage> {
      const scope = await scopeOf(caller, projectId);
      await zones.check(query.zone);
      const [rows, { sum, ...totals }] = await Promise.all([
        queries.entries(scope, { ...query, limit: query.limit + 1 }, readKey(query.after)),
        queries.totals(scope, query),
      ]);
      const entries = rows.slice(0, query.limit).map(toEntry);
      return { entries, sum, totals, next: rows.length > query.limit ? (entries.at(-1)?.key ?? null) : null };
    },

    /** The whole ledger as CSV, read page by page. */
    async csv(caller: Caller, projectId: string | undefined, query: LedgerQuery): Promise<AsyncIterable<string>> {
      const scope = await scopeOf(caller, projectId);
      await zones.check(query.zone);
      return csvParts(currency, async (after, limit) =>
        (await queries.entries(scope, { ...query, limit }, readKey(after))).map(toEntry),
      );
    },

    async session(caller: Caller, projectId: string | undefined, jobId: string): Promise<SpendingOfSession> {
      const scope = await scopeOf(caller, projectId);
      const row = await getSession(scope, jobId);
      const payerId = "accountId" in scope && !row.is_whole ? scope.accountId : undefined;
      const runs = await sessions.runs(jobId, payerId);
      const sums = await sessions.runSums(jobId, payerId);
      // Somebody who paid for a call does not learn what the app is made of.
      const nodes = (await mayRead(caller, row.graph_id)) ? await sessions.nodes(runs.map(({ id }) => id)) : [];
      const ofRun = Map.groupBy(nodes, ({ run_id }) => run_id);
      return {
        ...{ id: row.id, name: row.name, project_name: row.project_name, cost: row.cost, paid: row.paid },
        time_started: row.started_at?.toISOString() ?? null,
        time_ended: row.ended_at?.toISOString() ?? null,
        between: row.is_whole ? writeCredits(getCredits(row.cost) - getCredits(sums.cost)) : null,
        run_count: sums.count,
        runs: runs.map(({ id, number, person, state, began_at, ended_at, cost, installing_seconds }) => {
          const ofNodes = ofRun.get(id) ?? [];
          // No node's cost. Whoever may not read the workflow sees neither.
          const installing = { name: "Installing packages", seconds: installing_seconds };
          const own = ofNodes.length > 0 && installing_seconds > 0 ? [...ofNodes, installing] : ofNodes;
          const shares = shareCost(
            getCredits(cost),
            own.map(({ seconds }) => seconds),
          );
          const costs = own.map(({ name, seconds }, at) => ({ name, seconds, cost: writeCredits(shares[at] ?? 0n) }));
          const time_began = began_at.toISOString();
          const seconds = tookSeconds({ began_at, ended_at });
          return { id, number, person: person ?? "", state, time_began, seconds, cost, nodes: costs };
        }),
        has_samples: row.is_whole && row.has_samples,
      };
    },

    async samples(
      caller: Caller,
      projectId: string | undefined,
      jobId: string,
      { after, limit }: SamplesQuery,
    ): Promise<SamplePage> {
      const { is_whole } = await getSession(await scopeOf(caller, projectId), jobId);
      if (!is_whole) throw new AppError("spending_not_found");
      const rows = await sessions.samples(jobId, { after, limit: limit + 1 });
      const samples = rows
        .slice(0, limit)
        .map(({ created_at, ...sample }) => ({ ...sample, time: created_at.toISOString() }));
      return { samples, next: rows.length > limit ? (samples.at(-1)?.number ?? null) : null };
    },
  };
}

function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - days * dayLength).toISOString().slice(0, 10);
}

/** Every day from the first to the last. None when they are in the wrong order. */
function daysBetween(from: string, to: string): string[] {
  const count = (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayLength + 1;
  if (count > limits.daysMax) throw new AppError("too_many_days");
  return Array.from({ length: Math.max(0, count) }, (_, at) => dayBefore(from, -at));
}

function partsOf(rows: readonly DayRow[], days: readonly string[]): Pick<SpendingDays, "parts" | "days"> {
  const byPlace = [...Map.groupBy(rows, ({ place }) => place).values()];
  const parts = byPlace.map((ofPart) => ({
    ...{ key: ofPart[0]?.key ?? "", name: ofPart[0]?.name ?? "", isRest: (ofPart[0]?.place ?? 0) > limits.parts },
    amount: writeCredits(sumCredits(ofPart.map(({ amount }) => getCredits(amount)))),
  }));
  const amountOn = byPlace.map(
    (ofPart) => new Map<string, Nano>(ofPart.map((one) => [one.day, getCredits(one.amount)])),
  );
  return {
    parts,
    days: days.map((day) => ({ day, amounts: amountOn.map((amounts) => writeCredits(amounts.get(day) ?? 0n)) })),
  };
}

function toEntry(row: EntryRow): LedgerEntry {
  const { id, day, at, kind, source, person, job_id, amount, purse, note } = row;
  return {
    ...{ key: `${day}_${id}`, day, time: at.toISOString(), kind, source, amount, purse, note },
    project: row.project_id === null || row.project_name === "" ? null : { id: row.project_id, name: row.project_name },
    workflow: row.graph_id === null ? null : { id: row.graph_id, name: row.graph_name },
    person: person ?? "",
    session_id: job_id,
    time_started: row.started_at?.toISOString() ?? null,
  };
}

/** A key is only a place in the order of days. With anybody's key, callers see only their own entries. */
function readKey(key: string | undefined): { day: string; id: number } | undefined {
  if (key === undefined) return undefined;
  const [, day = "", id = ""] = /^(\d{4}-\d\d-\d\d)_(\d{1,15})$/.exec(key) ?? [];
  if (!isDay(day)) throw new AppError("page_key");
  return { day, id: Number(id) };
}
