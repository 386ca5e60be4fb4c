// Every business constant of the specification, by name. Times are in milliseconds unless the name says otherwise.

export const session = {
  cacheMaxAge: 60_000,
  cacheKey: "lastSession",
  cookie: "miranda_session",
  lifetime: 30 * 86_400_000,
} as const;

/** How often the client asks again. */
export const refresh = {
  default: 15_000,
  processor: 23_100,
  processorLogs: 30_000,
  job: 9_300,
  jobsList: 60_000,
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

export const socket = {
  path: "/ws/socket.io",
  transports: ["websocket", "polling"],
  reconnectionDelay: 1_000,
  reconnectionDelayMax: 5_000,
  reconnectionAttempts: Number.POSITIVE_INFINITY,
  // How long the client waits after the server refused the connection.
  refusedRetry: 30_000,
  presenceRenewal: 15_000,
  rightsCheck: 2_000,
  messageMax: 256 * 1024,
  // A larger frame costs its sender the connection; what is between the two is refused in words.
  frameMax: 2 * 1024 * 1024,
  messagesPerSecond: 200,
  messagesPerSecondOfAccount: 2_000,
  workflowsPerConnection: 20,
  // What a client has not read lies in the server's memory.
  unsentMax: 16 * 1024 * 1024,
  unsentCheck: 1_000,
} as const;

/** What one broadcast of a person to the others may hold. The whole message has `socket.messageMax` besides. */
export const broadcast = {
  selectionMax: 5_000,
  nodesMax: 300,
  edgesMax: 5_000,
  optionsMax: 5_000,
  idsMax: 5_000,
  textMax: 1_000,
  // The longest key is that of an edge: two numbers and two names of attributes.
  keyMax: 500,
  depthMax: 64,
} as const;

export const menu = {
  autoCloseDelay: 100,
  recentNavigation: 1_000,
  navigationKey: "lastNavigation",
} as const;

export const theme = { key: "theme", choices: ["light", "dark", "system"], default: "system" } as const;

export const browserWarning = { dismissedFor: 30 * 86_400_000 } as const;

export const errorScreen = { copiedFor: 2_000 } as const;

export const search = { shortcutKey: "k", listMaxHeightPixels: 300 } as const;

export const debounce = { default: 500 } as const;

export const preview = { homeCut: 250, browseWhole: 250, browseCut: 160, browseColumns: 3 } as const;

/** How many entries one answer holds at the most, and how many the client asks for at a time. */
export const paging = { most: 10_000, clientPage: 60 } as const;

export const newNode = { name: "New Node", type: "CODE_BLOCK" } as const;

export const ghost = { key: -1, name: "Instantiating", class: "ghost" } as const;

export const following = { tag: "following" } as const;

export const relativeTime = { now: 60_000, days: 14 * 86_400_000 } as const;

export const logLevels = { DEFAULT: 0, INFO: 1, WARNING: 2, ERROR: 3, DEBUG: 4 } as const;

export const logs = { filterKey: "logfilter", defaultLevels: [0, 1, 2, 3] } as const;

/** Shares of capacity above which a usage bar changes colour, in percent. */
export const usageBar = { orangeAbove: 70, redAbove: 90, most: 100 } as const;

export const sessions = { class: "Docker_job", listWidthRem: 26, secondsPerHour: 3_600 } as const;

export const executionToken = { retries: 5 } as const;

export const models = {
  defaultSort: { column: "last_updated", descending: true },
  rangeFilterStep: 0.01,
} as const;

export const jsonViewer = { stringCollapse: 99, objectCollapse: 20, arrayChunk: 100 } as const;

/** What people may ask of a program that is stopped, and where it stops. Times are in seconds. */
export const debugging = {
  expressionMax: 20_000,
  conditionMax: 2_000,
  breakpointsPerNode: 1_000,
  evaluateSecondsMax: 600,
  // Watches are evaluated by themselves at each stop: one that never ends must not hold up the next.
  watchSeconds: 2,
  watchesMax: 50,
  consoleEntriesMax: 200,
  framesMax: 100,
  cutsMax: 1_000,
} as const;

export const formText = {
  usernameMin: 2,
  usernameMax: 39,
  emailMax: 254,
  personNameMax: 80,
  passwordMin: 12,
  passwordMax: 1024,
  shortTextMax: 120,
  phoneMax: 40,
  nameMax: 200,
  descriptionMax: 100_000,
  queryMax: 200,
  tagMax: 100,
  noticeMax: 10_000,
} as const;

export const node = {
  positionMax: 1e7,
  orderMax: 1_000_000,
  sourceCodeMax: 1_000_000,
  attributesMax: 500,
  attributeNameMax: 200,
  attributeValueMax: 1_000_000,
  apiMax: 2_000_000,
  kindMax: 100,
  edgeTextMax: 1_000,
  gitMax: 2_000,
  gitBranchMax: 250,
  tagsMax: 50,
  segmentsMax: 200,
} as const;

/** All the code, attributes and values of one workflow: whoever opens it has to hold them. */
export const graph = { bytesMax: 128 * 1024 * 1024 } as const;

/** What people put into file controls. */
export const nodeFile = {
  sizeMax: 10 * 1024 * 1024,
  nameMax: 255,
  typeMax: 100,
} as const;

export const commit = {
  messageMax: 2_000,
  page: 50,
  pageMax: 200,
  /** What a run calls the commits that it makes of its runner's unsaved code. */
  runMessage: "Run",
} as const;

/** Code that several people write together. */
export const draft = {
  // The text and everything that Yjs remembers of how it came about.
  bytesMax: 8 * 1024 * 1024,
  // A client collects what is typed for so long before it sends it.
  sendEvery: 40,
  documentsPerConnection: 40,
  // Where in the Yjs document the text is.
  textName: "code",
  keepDays: 7,
  // Nodes whose unsaved code by others one run takes along.
  includedMax: 5_000,
  // The documents that one run reads, together, and the nodes with wrong code that it looks at.
  runBytesMax: 64 * 1024 * 1024,
  wrongMax: 500,
} as const;

/** What is known about code while it is written. */
export const language = {
  // Longer code is edited without help.
  charactersMax: 200_000,
  nameMax: 100,
  completionsMax: 300,
  diagnosticsMax: 200,
  textMax: 20_000,
  fileMax: 400_000,
  // Questions of one connection that wait for their answer.
  questionsAtOnce: 8,
} as const;

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

/** What one call may change at once. */
export const batch = {
  nodesMax: 5_000,
  edgesMax: 20_000,
  positionsMax: 20_000,
  groupsMax: 500,
  bodyMax: 48 * 1024 * 1024,
  // Nodes with their api: above this an event only says that much has changed. Fetching once is cheaper than telling it all.
  eventNodesMax: 300,
} as const;

export const computePolicy = {
  cpu: { min: 0.1, max: 256 },
  ramGb: { min: 0.1, max: 4_096 },
  gpu: { min: 0, max: 64 },
  maxMinutes: { min: 1, max: 43_200 },
  imageMax: 300,
} as const;

export const storagePolicy = { nameMax: 100, bucketMax: 63, prefixMax: 500, endpointMax: 500 } as const;

export const secret = { keyMax: 100, valueMax: 65_536 } as const;

export const graphml = { bodyMax: 64 * 1024 * 1024 } as const;

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

export const processor = {
  // A client may use the time as its tag, so 32 bits are too few.
  tagMax: Number.MAX_SAFE_INTEGER,
  argsMax: 4_000_000,
  logLinesMax: 1_000_000,
  // Characters of an answer to `input()`.
  answerMax: 65_536,
} as const;

/** Sessions that nobody uses. */
export const idleSession = {
  // How long before its end people are told. One that may be idle only for a short time is told of halfway.
  announcedBefore: 5 * 60_000,
  // A server that has just started gives browsers this long to come back before it ends anything.
  calmAfterStart: 60_000,
} as const;

/** What the browser says of an interrupt that takes its time. */
export const interrupt = { explainAfterSeconds: 1, offerStopAfterSeconds: 5 } as const;

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

export const avatar = { maxBytes: 5 * 1024 * 1024, maxPixels: 40_000_000, side: 256 } as const;

export const trial = { days: 14, credits: 100, dayLength: 86_400_000, todayUpToDays: 1 } as const;

export const accessToken = {
  idleDays: 7,
  /** What the token is called that every account gets when it is made. */
  automaticName: "Signed-in browsers",
} as const;
