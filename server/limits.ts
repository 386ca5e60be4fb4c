// The limits that only the server applies. Times are in milliseconds unless the name says otherwise.

/** All the code, attributes and values of one workflow: whoever opens it has to hold them. */
export const graph = { bytesMax: 128 * 1024 * 1024 } as const;

/** What is copied of a project's installed packages for the language servers. */
export const packageCopies = {
  // The newest so many sets of packages, of so many that are looked at.
  installations: 4,
  installationsSeen: 1_000,
  // Of each set:
  fileBytes: 4_000_000,
  bytes: 400_000_000,
  // Folders count as files.
  files: 30_000,
  entries: 200_000,
  depth: 24,
  // Longer paths cannot be written.
  pathBytes: 3_000,
} as const;

/** GraphML files that are sent, wait or are imported at the same time, on one server. */
export const imports = {
  // Larger ones never take the last thread: small ones would wait for minutes.
  largeFrom: 4 * 1024 * 1024,
  openPerAccount: 4,
  bytesPerAccount: 128 * 1024 * 1024,
  bytesInAll: 512 * 1024 * 1024,
  bytesKeptForSmall: 128 * 1024 * 1024,
  // The heap of a thread. A small file may unfold to as much as a large one, but has fewer nodes.
  largeMemoryMb: 768,
  smallMemoryMb: 512,
  retrySeconds: 30,
} as const;

/** Sessions that nobody uses. */
export const idleSession = {
  // How long before its end people are told. One that may be idle only for a short time is told of halfway.
  announcedBefore: 5 * 60_000,
  // A server that has just started gives browsers this long to come back before it ends anything.
  calmAfterStart: 60_000,
} as const;

/** What node code may store in the database, besides its log and outputs, which are settings. */
export const sessionBudget = {
  openQuestions: 100,
  modelsPerBatch: 200,
  modelsPerWorkflow: 1_000,
  // Characters of one model's metrics.
  metricsMax: 256_000,
  // How many of a session's last runs keep the versions of their packages.
  runsWithPackages: 200,
} as const;

/** A table as the runtime writes it: runtime/miranda/tables.py. */
export const tableOutput = { mime: "application/vnd.miranda.table+json" } as const;

/** How much of what nodes have shown one answer holds. Sizes are in bytes. */
export const outputPages = { most: 1_000, bytes: 8_000_000, largestPreview: 300_000, previewRows: 10 } as const;

/** What an agent may send at once. Sizes are in bytes. */
export const runnerCall = {
  questionMax: 4 * 1024,
  // The longest code, with every character escaped.
  gitStepMax: 8 * 1024 * 1024,
  // A batch ends with the event that makes it 1 MB. That event may be a line of 10 MB with the piece of 1 MB that it ended
  // in, and a control character takes six bytes in JSON.
  batchMax: 6 * (1 + 10 + 1) * 1024 * 1024,
  // What is larger is looked at before it is parsed: it may be a long text, but no endless list.
  unseenMax: 4 * 1024 * 1024,
  // The largest output there is (4 MB) cannot have more.
  valuesMax: 2_000_000,
  // Batches of one session that wait for the one before them.
  waitingMax: 32,
  // Of the containers of one machine, which share a socket.
  connectionsMax: 4_096,
} as const;
