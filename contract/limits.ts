// Every business constant of the specification, by name. Times are in milliseconds unless the name has another unit.

export const session = {
  cacheMaxAge: 60_000,
  cacheKey: "lastSession",
  cookie: "miranda_session",
  lifetime: 30 * 86_400_000,
} as const;

/** The second step of a sign-in, passkeys, and asking again who somebody is. */
export const secondFactor = {
  /** Remembers who waits for the second step. Scripts cannot read it. */
  ticketCookie: "miranda_second_step",
  ticketLifetime: 10 * 60_000,
  /** Wrong answers before the sign-in starts again. */
  ticketTries: 5,
  challengeLifetime: 5 * 60_000,
  /** How long a passkey or a provider counts as signing in again, before sensitive acts. */
  reauthLifetime: 5 * 60_000,
  codeDigits: 6,
  recoveryCodes: 10,
  passkeysMax: 20,
  /** Of each part of what a passkey answers, encoded. */
  passkeyTextMax: 16_000,
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
  // A frame larger than this closes the connection. A message between the two limits is refused with words.
  frameMax: 2 * 1024 * 1024,
  messagesPerSecond: 200,
  messagesPerSecondOfAccount: 2_000,
  workflowsPerConnection: 20,
  // What a client has not read yet is held in the server's memory. Over the first limit, lines and large outputs are left
  // out until it has read most of the rest. Over the last one, and when it reads nothing for so long, it is disconnected.
  unreadLines: 4 * 1024 * 1024,
  unreadCaughtUp: 1024 * 1024,
  unreadMax: 16 * 1024 * 1024,
  unreadFor: 10_000,
  unreadCheck: 1_000,
  smallOutput: 64 * 1024,
} as const;

/** Limits of one broadcast. The whole message is also limited by `socket.messageMax`. */
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

/** How many entries a page has unless asked otherwise, at the most, and when the client asks. */
export const paging = { page: 100, pageMax: 500, clientPage: 60, libraryPage: 200 } as const;

/** In pixels at 100 %. */
export const note = { pastedMax: 20_000, width: { min: 128, max: 1_600 }, height: { min: 64, max: 1_600 } } as const;

export const newNode = { name: "New Node", type: "CODE_BLOCK" } as const;

export const following = { tag: "following" } as const;

export const relativeTime = { now: 60_000, days: 14 * 86_400_000 } as const;

export const logLevels = { DEFAULT: 0, INFO: 1, WARNING: 2, ERROR: 3, DEBUG: 4 } as const;

export const logs = { filterKey: "logfilter", defaultLevels: [0, 1, 2, 3] } as const;

/** Shares of capacity above which a usage bar changes colour, in percent. */
export const usageBar = { orangeAbove: 70, redAbove: 90, most: 100 } as const;

export const sessions = { class: "Docker_job", listWidthRem: 26, secondsPerHour: 3_600 } as const;

/** What people may ask of a program that is stopped, and where it stops. Times are in seconds. */
/** In seconds: after which time an interrupt may stop by force what does not end. 0: never. */
export const forceStop = { choices: [0, 10, 30, 60, 300], secondsMax: 3_600 } as const;

export const debugging = {
  expressionMax: 20_000,
  conditionMax: 2_000,
  breakpointsPerNode: 1_000,
  evaluateSecondsMax: 600,
  // Watches are evaluated at every stop: one that never ends must not delay the next.
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
  pageKeyMax: 2_000,
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

/** Files in file controls. */
export const nodeFile = {
  sizeMax: 10 * 1024 * 1024,
  nameMax: 255,
  typeMax: 100,
} as const;

/**
 * A notebook or a script that becomes nodes. `fileMax`: bytes of a notebook with its outputs, which are not sent.
 * `charactersMax`: characters of its code and texts, which are sent.
 */
export const notebook = { fileMax: 100 * 1024 * 1024, cellsMax: 1_000, charactersMax: 2_000_000 } as const;

export const commit = {
  messageMax: 2_000,
  page: 50,
  pageMax: 200,
  /** The message of the commits that a run makes from unsaved code. */
  runMessage: "Run",
} as const;

/** Code that several people write together. */
export const draft = {
  // The text and everything that Yjs keeps about its history.
  bytesMax: 8 * 1024 * 1024,
  // How long a client collects typed text before it sends it.
  sendEvery: 40,
  documentsPerConnection: 40,
  // Where in the Yjs document the text is.
  textName: "code",
  keepDays: 7,
  // Nodes whose unsaved code by other people one run may include.
  includedMax: 5_000,
  // The documents that one run may read together, and the nodes with wrong code that it checks.
  runBytesMax: 64 * 1024 * 1024,
  wrongMax: 500,
} as const;

/** Language help. */
export const language = {
  // Longer code is edited without help.
  charactersMax: 200_000,
  nameMax: 100,
  completionsMax: 300,
  diagnosticsMax: 200,
  textMax: 20_000,
  fileMax: 400_000,
  // Unanswered questions of one connection.
  questionsAtOnce: 8,
} as const;

/** Prefabs and blueprints. The newest versions of each are kept. */
export const template = { changesMax: 500, versionMost: 1_000_000, versionsKept: 20 } as const;

/** What one call may change. */
export const batch = {
  nodesMax: 5_000,
  edgesMax: 20_000,
  positionsMax: 20_000,
  groupsMax: 500,
  bodyMax: 48 * 1024 * 1024,
  // Nodes with their api in one event. Above this the event only asks to reload: fetching once is cheaper.
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

/** The keys of an S3 bucket. */
export const bucketKeys = { max: 200 } as const;

export const secret = { keyMax: 100, valueMax: 65_536 } as const;

export const graphml = { bodyMax: 64 * 1024 * 1024 } as const;

export const processor = {
  // A client may use the time as its tag, so 32 bits are too few.
  tagMax: Number.MAX_SAFE_INTEGER,
  argsMax: 4_000_000,
  logLinesMax: 1_000_000,
  // Characters of an answer to `input()`.
  answerMax: 65_536,
} as const;

export const avatar = { maxBytes: 5 * 1024 * 1024, maxPixels: 40_000_000, side: 256 } as const;

export const trial = { days: 14, credits: 100, dayLength: 86_400_000, todayUpToDays: 1 } as const;

/** The projects that can be handed over with one deletion of an account, and that its preview lists. */
export const accountDeletion = { transfersMax: 200, editorsListed: 100 } as const;

export const accessToken = {
  /** The longest time for which a token can be made. */
  expiryDaysMax: 365,
  idleDays: 7,
  /** The name of the token that every account gets when it is created. */
  automaticName: "Signed-in browsers",
} as const;

/** Versions of a workflow. */
export const version = {
  messageMax: 4_000,
  /** Nodes that one call may name. */
  nodesMax: 20_000,
  namedMax: 1_000,
  /** Room for that many nodes in a form. */
  bodyMax: 2 * 1024 * 1024,
  /** What a person decided about every conflict of a merge. Reading more would keep others waiting. */
  mergeBodyMax: 4 * 1024 * 1024,
  resolutionsMax: 50_000,
} as const;

/** A workflow as files in a zip. Sizes are in bytes. */
export const workflowFiles = {
  // The zip as it is sent, and what it holds when it is unpacked.
  zipMax: 64 * 1024 * 1024,
  unpackedMax: 256 * 1024 * 1024,
  entriesMax: 30_000,
  pathMax: 400,
  tomlMax: 32 * 1024 * 1024,
  // A form around the zip, with a decision about every conflict.
  formMax: 4 * 1024 * 1024,
} as const;

/** Points of one metric in an answer. */
export const metricChart = { pointsMax: 2_000 } as const;

/** Models and their versions. The first four are those of MLflow. */
export const model = {
  aliasMax: 255,
  tagKeyMax: 250,
  tagValueMax: 5_000,
  nameMax: 255,
  tagsMax: 200,
  descriptionMax: 100_000,
  reasonMax: 2_000,
  /** Versions or runs in one comparison, and series in one chart. */
  comparedMax: 20,
  namesMax: 50,
  /** Runs of a plot over many. */
  plotMax: 1_000,
  /** Nodes of each kind in a picture of a lineage. */
  lineageMax: 100,
  signatureMax: 200,
  aliasesMax: 100,
  madeMax: 100,
} as const;

/** What people are told. */
export const notification = { page: 20, pageMax: 100, minSeconds: 60, minSecondsMax: 86_400 } as const;

/** What a project calls. `callsListed`: of one webhook, the newest. */
export const webhook = { urlMax: 2_000, perProject: 20, callsListed: 50 } as const;

/** In credits: what a run or a day may cost. `step`: what people add with one click when the limit says nothing. */
export const budget = { min: 0.01, max: 1e9, step: 5 } as const;

/** The ledger, grants, and budgets for the month. Amounts are in credits. */
export const spending = {
  budgetMax: 100_000_000,
  grantMax: 1_000_000,
  /** What an account or a purse can hold. */
  balanceMax: 900_000_000,
  keyMax: 200,
  noteMax: 500,
  zoneMax: 100,
  pageKeyMax: 40,
  searchMax: 200,
  daysMax: 366,
  /** Of the report of an installation: ten years. */
  reportDaysMax: 3_660,
  days: 30,
  /** Parts of a chart that have their own colour. All others are added to one part. */
  parts: 6,
  samples: 100,
  samplesMax: 1_000,
} as const;

/** In percent of a budget for the month: when people are warned. */
export const budgetLevels = [50, 80, 100] as const;

/** What is deployed. */
export const deployment = {
  labelMax: 200,
  helpMax: 1_000,
  fieldsMax: 100,
  outputsMax: 100,
  stepsMax: 500,
  descriptionMax: 20_000,
  noteMax: 2_000,
  tagsMax: 20,
  peopleMax: 500,
  originsMax: 20,
  tokensMax: 50,
  atOnceMax: 64,
  queueMax: 10_000,
  callSecondsMax: 7 * 86_400,
  pictureMax: 5 * 1024 * 1024,
  /** It is drawn again in this size. */
  picture: { maxBytes: 5 * 1024 * 1024, maxPixels: 40_000_000, width: 800, height: 450 },
  /** In addresses instead of the name: the deployment whose link the call has in its header. */
  byLink: "-",
  /** In credits, of one day: what a link may spend unless the owner says otherwise. */
  linkDayBudget: 20,
  /** Names in the question before something is deleted. */
  titlesShown: 20,
  /** Of fields of the first release that nobody has ticked yet. */
  fieldsTicked: 20,
} as const;

/**
 * A file that a node shows or sends. The output says its name, type and size under `mime`. `base64Max`: characters of the
 * largest content. runtime/miranda/files.py and runtime/miranda_agent/protocol.py have the same limits.
 */
export const outputFile = {
  mime: "application/vnd.miranda.file+json",
  sizeMax: 10_000_000,
  base64Max: 13_333_336,
} as const;

/** A call of a deployment. */
export const call = { waitSecondsMax: 300, keyMax: 200, bodyMax: 1024 * 1024, keyHours: 24 } as const;

/** Schedules of one deployment. */
export const schedule = {
  perDeployment: 100,
  cronMax: 200,
  everyMinutesMax: 525_600,
  nextShown: 5,
  // Characters of all values, as JSON. A list has those of every schedule.
  inputsMax: 64_000,
} as const;

/** Comments of a workflow. Lengths are in characters. */
export const comment = {
  textMax: 10_000,
  mentionsMax: 20,
  threadsPerWorkflow: 20_000,
  perThread: 2_000,
  page: 30,
  pageMax: 100,
  perMinute: 30,
  lineMax: 10_000_000,
  lineTextMax: 500,
  anchorMax: 200,
  queryMax: 100,
  peopleListed: 8,
} as const;
