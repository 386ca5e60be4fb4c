// The limits that only the server applies. Times are in milliseconds unless the name has another unit.

/** All code, attributes and values of one workflow. Every client that opens it holds them in memory. */
export const graph = { bytesMax: 128 * 1024 * 1024 } as const;

/** Limits for copying a project's installed packages to the language servers. */
export const packageCopies = {
  // How many of the newest package sets are copied, and how many are looked at.
  installations: 4,
  installationsSeen: 1_000,
  // For each set:
  fileBytes: 4_000_000,
  bytes: 400_000_000,
  // Folders count as files.
  files: 30_000,
  entries: 200_000,
  depth: 24,
  // Longer paths cannot be written.
  pathBytes: 3_000,
} as const;

/** GraphML uploads and imports that are queued or running at the same time, on one server. */
export const imports = {
  // Large files never take the last thread: small ones would wait for minutes.
  largeFrom: 4 * 1024 * 1024,
  openPerAccount: 4,
  bytesPerAccount: 128 * 1024 * 1024,
  bytesInAll: 512 * 1024 * 1024,
  bytesKeptForSmall: 128 * 1024 * 1024,
  // The heap of a thread. A small file may expand as much as a large one, but has fewer nodes.
  largeMemoryMb: 768,
  smallMemoryMb: 512,
  retrySeconds: 30,
} as const;

/** Comparing, merging, restoring, storing and exporting versions at the same time, on one server. */
export const versionWork = {
  atOnce: 6,
  perAccount: 2,
  waitingPerAccount: 16,
  retrySeconds: 5,
} as const;

/** Notebooks that are cut into nodes: each takes a process. */
export const notebookWork = { atOnce: 2, perAccount: 1, waitingPerAccount: 4, seconds: 60, answerBytes: 48e6 } as const;

/**
 * Reading what code declares: each takes a Python process. An account never has all of them. One source may take
 * `patienceMs`, and short ones are read together up to `charactersAtOnce`.
 */
export const declarationReading = {
  ...{ atOnce: 3, perAccount: 2, waitingPerAccount: 60 },
  ...{ patienceMs: 20_000, idleMs: 60_000, charactersAtOnce: 250_000 },
} as const;

/** Exports of one account that are being downloaded. Each holds a workflow in memory until it is read. */
export const openExports = { perAccount: 6, retrySeconds: 10 } as const;

/** Ending sessions that nobody uses. */
export const idleSession = {
  // How long before the end people are warned. A session with a short idle time is announced halfway.
  announcedBefore: 5 * 60_000,
  // A server that has just started gives browsers this long to reconnect before it ends a session.
  calmAfterStart: 60_000,
} as const;

/** Removing old rows. A batch is small, so that nobody waits for it long. */
export const housekeeping = {
  every: 3_600_000,
  // The rest after a batch, which is otherwise as long as the batch took.
  pauseMin: 10,
  pauseMax: 1_000,
  rows: 1_000,
  samples: 5_000,
  // Sessions, whose folders are removed one by one, and files of up to 10 MB.
  sessions: 50,
  files: 50,
  // Long enough to compare charges with usage. A thousand processors write 4 GB of samples a day.
  sampleDays: 3,
} as const;

/** A list of sessions. Sizes are in bytes or characters. */
export const sessionList = {
  ofDeployment: 100,
  // Living sessions in the queue, and as many that run. They are on every page.
  alivePerGroup: 200,
  descriptionMax: 200,
  logLinesMax: 100,
  // Of all sessions together.
  logCharacters: 200_000,
  // The page of ended sessions ends before an answer becomes larger.
  answerBytes: 900_000,
} as const;

/** What node code may store in the database, besides its log and outputs, whose limits are settings. */
export const sessionBudget = {
  openQuestions: 100,
  modelsPerBatch: 200,
  modelsPerWorkflow: 1_000,
  versionsPerModel: 10_000,
  // Characters of one model's metrics.
  metricsMax: 256_000,
  // How many of a session's last runs keep the versions of their packages.
  runsWithPackages: 200,
} as const;

/** The metrics of one run. runtime/miranda/output/metrics.py leaves out what is beyond `linesPerRun`. */
export const runMetrics = { linesPerRun: 300, pointsPerRun: 500_000, pointsPerRow: 500 } as const;

/** What clients of MLflow may log in one project, and in one run. */
export const trackingLimits = {
  experimentsPerProject: 10_000,
  runsPerProject: 1_000_000,
  tagsPerExperiment: 1_000,
  metricsPerRun: 10_000,
  pointsPerRun: 5_000_000,
  paramsPerRun: 10_000,
  tagsPerRun: 10_000,
  inputsPerRun: 1_000,
  outputsPerRun: 1_000,
  // Characters of the list of models that a client of MLflow 2 keeps in a tag.
  modelHistoryMax: 1_000_000,
  // Bytes of one page of a search, besides its last run.
  searchBytes: 32 * 1024 * 1024,
} as const;

/** A table as the runtime writes it: runtime/miranda/output/tables.py. */
export const tableOutput = {
  mime: "application/vnd.miranda.table+json",
  // Of a table that people download or programs get as rows. A table may have as many empty cells as it has others, and
  // these more.
  cellsMax: 1_000_000,
  emptyCells: 1_000,
} as const;

/** The most outputs in one answer. Sizes are in bytes. */
export const outputPages = {
  most: 1_000,
  bytes: 8_000_000,
  bytesAtOnce: 500_000,
  largestPreview: 300_000,
  previewRows: 10,
} as const;

/** Limits of an agent's calls. Sizes are in bytes. */
export const runnerCall = {
  questionMax: 4 * 1024,
  // The longest code, with every character escaped.
  gitStepMax: 8 * 1024 * 1024,
  // A batch ends with the event that makes it 1 MB. That event may be a line of 10 MB with the piece of 1 MB that it ended
  // in, and a control character takes six bytes in JSON.
  batchMax: 6 * (1 + 10 + 1) * 1024 * 1024,
  // A larger body is scanned before it is parsed: it may be one long text, but no endless list.
  unseenMax: 4 * 1024 * 1024,
  // The largest output (4 MB) cannot have more values than this.
  valuesMax: 2_000_000,
  // Batches of one session that wait for the previous one.
  waitingMax: 32,
  // Keys of results in one question: 50,000 of them.
  resultKeysMax: 4 * 1024 * 1024,
  // For all containers of one machine, which share a socket.
  connectionsMax: 4_096,
} as const;

/** What is removed in the background, in one transaction. Larger batches would hold their locks longer. */
export const removal = { rowsPerBatch: 500, sessionsPerBatch: 10, templatesPerBatch: 20 } as const;

/** Models and their versions. */
export const modelFiles = {
  // Bytes of an MLmodel file that is read.
  mlmodelMax: 200_000,
  // Lines of a requirements file that a node takes over.
  packagesMax: 50,
  // The newest versions whose metrics and parameters have columns, and the most of these.
  namesOf: 50,
  namesMax: 500,
  trashListed: 500,
  removedAtOnce: 100,
  // How many names and values of parameters a plot has.
  plotNamesMax: 200,
  // Models and aliases that are told at once, and how often is looked for them, in milliseconds.
  newsBatch: 50,
  // Editors of a project who are told.
  newsReaders: 100,
  newsEvery: 5_000,
} as const;

/** What is kept of a run, besides its log and outputs. Node code decides how much of it there is. */
export const runHistory = {
  // Calls that ended a moment ago, and that people in the workflow are told about.
  callsPublished: 20,
  // Points of what the session used over the time of the run.
  usagePoints: 300,
  // Exceptions, and characters of each traceback: its end.
  exceptions: 50,
  tracebackMax: 50_000,
  reasonMax: 1_000,
  // Between two events about a run that goes on.
  publishedEvery: 1_000,
  // Old runs that are removed at once. Each may have thousands of nodes.
  removedAtOnce: 20,
} as const;

/** Kept results of nodes. */
export const results = {
  // The largest result, as a share of what a project may keep. One result must not replace all others.
  shareOfProject: 0.5,
  // Of one project. Empty ones would otherwise fill the disk's list of files, and each new one reads all rows.
  filesPerProject: 50_000,
  filesAtOnce: 64,
  // Characters of JSON of what results depend on, in one answer.
  readsInAnswer: 16_000_000,
  // A file without a row may be on its way to get one for so long.
  draftHours: 1,
} as const;

/** Files of runs and models. Sizes are in bytes. */
export const artifacts = {
  // Of one project. Empty ones would otherwise fill the disk's list of files.
  filesPerProject: 200_000,
  filesInZip: 20_000,
  filesAtOnce: 64,
  // A file without a row may be on its way to get one for so long.
  draftHours: 1,
  // A larger file is hashed in a thread, so much of it at a time.
  hashedHere: 1024 * 1024,
  hashedAtOnce: 4 * 1024 * 1024,
  writeBytes: 1024 * 1024,
  diskAskedEvery: 64 * 1024 * 1024,
  readBytes: 256 * 1024,
  // Of one caller and on one server: each has a file and a connection open.
  openPerCaller: 64,
  openInAll: 400,
  retrySeconds: 5,
  // Files that come in parts. An upload is removed when it got no part for so many hours.
  partsMax: 10_000,
  uploadsPerProject: 64,
  partsPerProject: 20_000,
  uploadHours: 24,
  finishedKnownMs: 600_000,
  // How much of a file a page shows.
  previewBytes: 1024 * 1024,
  pictureBytes: 10 * 1024 * 1024,
} as const;

/** Artefacts in S3 buckets. */
export const artifactBuckets = {
  // A larger file is sent in parts of this size, some at the same time. S3 accepts at most 10,000 parts.
  partBytes: 16 * 1024 * 1024,
  partsMax: 9_000,
  partsAtOnce: 3,
  readBytes: 256 * 1024,
  // From this server to one host.
  connections: 64,
  answerMax: 1024 * 1024,
  // In milliseconds: how long a server may send nothing, and the base of the pauses between tries, which double.
  silence: 60_000,
  pause: 100,
  tries: 4,
  // How long after its last part an object without a row counts as being uploaded. Then it is removed.
  draftHours: 1,
  removedAtOnce: 100,
  sweepPatience: 20_000,
  testsPerAccount: 2,
} as const;

/** Models of one project, for clients of MLflow. */
export const registry = {
  versionsPerModel: 10_000,
  loggedPerProject: 100_000,
  loggedNameMax: 500,
  // Characters of one value, and of all tags or parameters of a logged model.
  loggedValueMax: 20_000,
  loggedTextMax: 1_000_000,
} as const;

/** In bytes, of what a project may keep. */
export function largestResult(projectBytes: number): number {
  return Math.floor(projectBytes * results.shareOfProject);
}

/** What people were told. `perAccount` does not count what is about the security of the account. */
export const notificationStore = { days: 90, perAccount: 1_000, bodyMax: 500 } as const;

/** Telling people and webhooks about runs. */
export const runNews = {
  every: 5_000,
  batch: 50,
  // How long the last sample of a run may come after its end. Later, people are told without it.
  settledWithin: 30_000,
} as const;

/** Calls of webhooks. Times are in milliseconds, sizes in bytes. */
export const webhookCalls = {
  every: 5_000,
  // At the same time on one server, each to another webhook: one that hangs must not keep the others.
  atOnce: 16,
  timeout: 10_000,
  // Tests of one account, on one server. Each holds a connection until its answer comes.
  testsPerAccount: 4,
  answerMax: 64 * 1024,
  answerKept: 2 * 1024,
  // The pauses before the tries after the first.
  pauses: [1, 5, 15, 60, 120, 240, 360].map((minutes) => minutes * 60_000),
  // A server that was killed during a call leaves it for another one.
  lease: 60_000,
  waitingPerProject: 1_000,
  keptPerWebhook: 100,
  keptDays: 30,
  // A webhook that fails for so long is turned off.
  failingMax: 3 * 86_400_000,
} as const;

/** A run that reached a limit. */
export const budgetWatch = {
  // How long it has to pause before it is interrupted, and then to end before its session is stopped.
  pauseWithin: 30_000,
  interruptWithin: 30_000,
} as const;

/** Calling deployments at times. Times are in milliseconds. */
export const scheduleTicks = {
  every: 1_000,
  // In one transaction, and at the same time on one server: 1,000 schedules of the same minute must not hold all connections.
  batch: 100,
  atOnce: 4,
  // A server that was killed leaves what it took for another one.
  lease: 60_000,
  // Later than this, the server was down.
  grace: 60_000,
  // What is made up for, listed as missed, or waits for an earlier call.
  madeUpMax: 100,
  // How often a full queue is tried, and for how long at most it pauses; and how often after an error of ours.
  queueTries: 120,
  queuePauseMax: 30_000,
  errorTries: 5,
  toldMax: 100,
  keptDays: 90,
  keptPerSchedule: 1_000,
} as const;

/** What callers of deployments send and follow, on one server. Sizes are in bytes. */
export const callApi = {
  /** A signed webhook is taken so long after its time. */
  hookSeconds: 300,
  // A form with its files, and all forms that are being read.
  formMax: 40 * 1024 * 1024,
  formsInAll: 256 * 1024 * 1024,
  formsPerCaller: 4,
  // Streams of events.
  streamsPerCaller: 10,
  streamsInAll: 500,
  heartbeatMs: 15_000,
  // How often a stream looks for changes that nobody announced.
  lookEveryMs: 1_000,
  // Lines of the log that one event carries, and that a new stream begins with.
  linesPerEvent: 500,
  lastLines: 1_000,
  // Calls per minute of a visitor's network with one link, and of one webhook.
  callsPerVisitor: 30,
  callsPerHook: 600,
  retrySeconds: 5,
} as const;

/** Newest releases of a deployment that stay, also when nobody ever called them. */
export const releasesKept = 500;

/** How calls of deployments are given to sessions. */
export const callDispatch = {
  // Releases that a server keeps in memory: their forms and the names of their nodes.
  releasesKnown: 500,
  // Sessions that ended before their first call: how long they count, and after how many its waiting calls are given up.
  failuresWithin: 10 * 60_000,
  failuresMax: 3,
  // The longest time between two tries to start a session that keeps failing.
  retryMax: 5 * 60_000,
  // Between two looks at the sessions of one deployment while calls wait.
  lookEvery: 200,
  // How long an interrupted call may take to end before its session is ended.
  endWithin: 5_000,
  // How often another pair is looked for when another server took the call or the session.
  triesMax: 20,
  // How long changes of calls are gathered before they are published together.
  announceEvery: 30,
  // Between two looks at all deployments.
  sweepEvery: 1_000,
  // Waiting calls whose values are read at once, to see whether they fit another release.
  movedAtOnce: 100,
} as const;

/** Collecting garbage when nobody uses the server. */
export const idleMemory = {
  every: 5_000,
  // So many checks in a row must be quiet, and the process must have grown by this factor since the last collection.
  quietChecks: 4,
  busyShare: 0.05,
  growth: 1.1,
} as const;
