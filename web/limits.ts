// Constants of the screens. Times are in milliseconds unless the name has another unit.

/** Polling intervals. */
export const refresh = {
  default: 15_000,
  processor: 23_100,
  processorLogs: 30_000,
  job: 9_300,
  jobsList: 60_000,
  runs: 5_000,
  /** A workflow that has not changed for so long is asked about again. */
  settledAfter: 1_000,
  // A session is measured every two seconds.
  usage: 2_000,
  notifications: 300_000,
  webhookCalls: 5_000,
} as const;

/** How long the client waits for the event that answers a command. */
export const timeouts = {
  createProcessor: 60_000,
  compile: 60_000,
  gitPull: 60_000,
  gitSoftPull: 60_000,
  gitPush: 60_000,
  runSetup: 60_000,
} as const;

/** How long the client waits before it tries to load a part of itself again. */
export const partRetry = { after: 1_000 } as const;

export const menu = {
  autoCloseDelay: 100,
  recentNavigation: 1_000,
  navigationKey: "lastNavigation",
} as const;

/** The bell. `countMax`: larger numbers are shown as that many and more. */
export const notifications = { connectAfter: 1_000, countMax: 99 } as const;

export const theme = { key: "theme", choices: ["light", "dark", "system"], default: "system" } as const;

export const browserWarning = { dismissedFor: 30 * 86_400_000 } as const;

/** Long enough to read what was not undone, and to decide. */
export const undoNotice = { shownFor: 20_000 } as const;

export const errorScreen = { copiedFor: 2_000 } as const;

export const search = {
  shortcutKey: "k",
  listMaxHeightPixels: 300,
  queryMax: 200,
  recentKey: "recent-finds",
  recentMost: 5,
} as const;

/** `filter` is for lists that follow while a person types. */
export const debounce = { default: 500, filter: 200 } as const;

export const preview = { homeCut: 250, browseWhole: 250, browseCut: 160, browseColumns: 3 } as const;

export const ghost = { key: -1, name: "Instantiating", class: "ghost" } as const;

export const executionToken = { retries: 5 } as const;

export const models = {
  defaultOrder: { sort: "updated", direction: "desc" },
  rangeFilterStep: 0.01,
} as const;

export const jsonViewer = { stringCollapse: 99, objectCollapse: 20, arrayChunk: 100 } as const;

/** When the browser explains a slow interrupt, and offers what ends it. */
export const interrupt = { explainAfterSeconds: 1, offerStopAfterSeconds: 5 } as const;

/** The stream of a call: when it is connected again after it was lost. */
export const callStream = { retryAfter: 500, retryMax: 10_000 } as const;
