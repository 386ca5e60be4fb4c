import type { WorkflowState } from "@miranda/contract/processor.ts";
import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

import { messageOf } from "../../message-of.ts";
import { createUnsavedCode } from "../unsaved/unsaved-code.ts";
import type { AskForToken } from "./token/execution-token.ts";
import { createProcessorActions, type ProcessorCalls } from "./processor-session.ts";
import { createProcessorStore } from "./processor-store.ts";
import { createRunRefusal } from "./runs/run-refusal.ts";

// For tests only.

export function jobIn(state: WorkflowState, changes: Partial<JobSummary> = {}): JobSummary {
  return {
    id: "job-1",
    tag: 7,
    name: "Tides",
    description: "",
    class: "Docker_job",
    workflow_state: state,
    state_since: "2026-01-01T00:00:00.000Z",
    revision: 0,
    container_id: "box",
    time_created: "2026-01-01T00:00:00.000Z",
    ends_at: null,
    total_cost: null,
    cpu_seconds: 0,
    ram_gb_seconds: 0,
    net_rx_gb: 0,
    net_tx_gb: 0,
    current_cpu: 0,
    cpu_capacity: 1,
    current_ram_gb: 0,
    ram_gb_capacity: 1,
    current_net_rx_gb: 0,
    current_net_tx_gb: 0,
    graph: { project_id: "project", graph_id: "graph" },
    ...changes,
  };
}

type Listener = (...args: never[]) => void;

/** A processor with calls and events made by hand, and a record of both. */
export function rig(options: { job?: JobSummary; projectId?: string; calls?: Partial<ProcessorCalls> } = {}) {
  const store = createProcessorStore();
  const listeners = new Map<string, Set<Listener>>();
  const made: string[] = [];
  const tokens: Parameters<AskForToken>[0][] = [];
  const closers: (() => void)[] = [];
  const unsaved = createUnsavedCode();
  const refusal = createRunRefusal();
  if (options.job) store.observe(options.job);

  const record =
    <Args extends unknown[], Result>(name: string, call: (...args: Args) => Promise<Result>) =>
    (...args: Args) => {
      made.push([name, ...args].join(" "));
      return call(...args);
    };
  const { calls = {} } = options;
  const actions = createProcessorActions({
    graphId: "graph",
    projectId: options.projectId ?? "project",
    store,
    realtime: {
      on: (name: string, listener: Listener) => {
        const all = listeners.get(name) ?? new Set();
        listeners.set(name, all.add(listener));
        return () => void all.delete(listener);
      },
      broadcast: (channel: string, data: unknown) => void made.push(`broadcast ${channel} ${JSON.stringify(data)}`),
    },
    calls: {
      read: calls.read ?? (() => Promise.resolve(store.get().job)),
      create: record("create", calls.create ?? ((_graphId, tag) => Promise.resolve({ tag }))),
      command: record("command", calls.command ?? (() => Promise.resolve({}))),
      cancel: record("cancel", calls.cancel ?? (() => Promise.resolve({}))),
      checkRun: calls.checkRun ?? (() => Promise.resolve()),
    },
    unsaved,
    refusal,
    exceptions: () => "off",
    askForToken: (request) => {
      tokens.push(request);
      return { closed: new Promise((resolve) => closers.push(resolve)) };
    },
  });
  return {
    store,
    unsaved,
    refusal,
    actions,
    /** Every call and broadcast, in order. */
    made,
    commands: () => made.filter((call) => call.startsWith("command")),
    tokens,
    closeToken: () => closers.at(-1)?.(),
    emit: (name: string, event: unknown) => {
      // A test gives each listener the event that its name stands for.
      for (const listener of listeners.get(name) ?? []) listener(event as never);
    },
  };
}

/** The words a promise is rejected with, caught from the start: it may fail while clocks are being moved. */
export function failureOf(action: Promise<unknown>): Promise<string> {
  return action.then(() => "It did not fail.", messageOf);
}
