import type { RunState } from "@miranda/contract/schemas/runs.ts";

import type { RunFilter } from "../../api/runs/runs.ts";

// The filter of a list of runs is part of its address, so that it can be shared and the back button works.

const names = ["query", "state", "by", "graph", "session", "version", "from", "until"] as const;
type FilterName = (typeof names)[number];

export type StateChoice = RunState | "alive" | "bad";

/** What a person has chosen. Dates are days of this person's calendar: 2026-03-20. */
export interface ListFilter {
  query: string;
  state: StateChoice | "";
  by: string;
  graph: string;
  session: string;
  version: string;
  from: string;
  until: string;
}

export const stateChoices: readonly StateChoice[] = [
  "alive",
  "bad",
  ...(["running", "paused", "done", "failed", "stopped", "crashed", "lost"] as const),
];

export function filterOf(params: URLSearchParams): ListFilter {
  const text = (name: FilterName) => params.get(name) ?? "";
  return {
    query: text("query"),
    // An address that somebody typed may say anything.
    state: stateChoices.find((state) => state === text("state")) ?? "",
    by: text("by"),
    graph: text("graph"),
    session: text("session"),
    version: text("version"),
    from: dayOf(text("from")),
    until: dayOf(text("until")),
  };
}

/** The parameters of an address with this filter; empty parts are left out. */
export function paramsOf(filter: ListFilter): Record<string, string> {
  return Object.fromEntries(names.filter((name) => filter[name] !== "").map((name) => [name, filter[name]]));
}

export function isFiltered({ graph: _graph, ...filter }: ListFilter): boolean {
  return Object.values(filter).some((value) => value !== "");
}

/** The parameters of the call. `until` is the end of that day. */
export function callFilter(filter: ListFilter, projectId: string | undefined): RunFilter {
  const parts = {
    project_id: projectId ?? "",
    graph_id: filter.graph,
    job_id: filter.session,
    version_id: filter.version,
    by: filter.by,
    state: filter.state,
    query: filter.query.trim(),
    from: filter.from === "" ? "" : startOfDay(filter.from, 0),
    until: filter.until === "" ? "" : startOfDay(filter.until, 1),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== ""));
}

function dayOf(text: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : "";
}

function startOfDay(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}
