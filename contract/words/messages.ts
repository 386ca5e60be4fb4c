/** The client's own messages about failures and missing input. */
export const messages = {
  noFallback: "No fallback provided, not authenticated, and on login page. This should never happen.",
  routerFailure: "Unexpected Application Error!",
  partNotLoaded:
    "A part of Miranda could not be loaded. Check your connection and reload the page. If Miranda was updated while this page was open, reloading gets the new version.",
  uncaughtTitle: "Uh oh, something went wrong!",
  uncaughtText: "Here's what we know:",
  errorScreenTitle: "Oops! Something went wrong",
  unknownError: "Unknown Error",

  keptWhileAway: "Miranda cannot be reached. Your changes are kept here and are sent when it is back.",
  invalidJson: "Invalid JSON",
  missingAttributes: "Missing attributes",
  noProjectForNode: "No project currently loaded",
  noProjectForTemplate: "No project is currently loaded",
  prefabFailed: "Could not instantiate prefab",

  noFile: "Please upload a file.",
  notGraphml: "Please upload a GraphML file.",
  noZip: "Please upload a zip file.",

  tokenRevoked: "Your execution token was revoked.",
  tokenIdle: "Your execution token was not used for a week, so it was revoked.",
  wrongCode: (node: string, line: number, reason: string) => `${node}, line ${line}: ${reason}`,
  unfitField: (node: string, words: string) => `${node}: the field ${words}`,
  outdatedDraft: (node: string) =>
    `${node}: the code changed below your draft. Keep the draft, take the stored code, or put both together. Nothing was run.`,
  codeNotSent: "Your newest changes have not reached the server yet. Nothing was run.",
  failedCommand: (command: string, reason: string) =>
    `Failed to call command "${command}" | ${reason.replace(/\.$/, "")}.`,
  noProcessorForCommand: "No processor to call command on",
  failedCreation: (reason?: string) =>
    reason ? `Failed to create processor | ${reason}` : "Failed to create processor",
  creationTimedOut: "Processor creation timed out",
  compileTimedOut: "Compile timed out",
  gitPullTimedOut: "Timed out trying to git pull the repository.",
  gitPushTimedOut: "Timed out trying to git push to the repository.",
  runSetupTimedOut: "Timed out trying to run node setup routines.",
  noProcessorToRestart: "No processor to restart",
  noProcessorForBreakpoint: "No processor to add breakpoint to",
  noProcessorToStop: "No processor to stop",
  passwordAnswered: "Somebody else has given the password.",
  passwordWithdrawn: "Nobody waits for the password any more.",
  inputAnswered: "Somebody else has answered.",
  lockedNode: (name: string) => `“${name}” is locked. Nothing was changed.`,
  /** The message of the commits that a merge makes. Without a name when some who see it may not read that workflow. */
  mergedFrom: (workflow = "another workflow") => `Merge changes from ${workflow}`,
  versionsFull: (used: number, more: number, most: number) =>
    `The versions of this project take ${megabytes(used)} of ${megabytes(most)} MB, and this one needs ${megabytes(more)} MB more. ` +
    "Delete versions that nobody needs any more, then try again.",
  /** The message of the commits that a restore makes. */
  restoredVersion: (number: number | null, name: string, time: Date) =>
    number === null
      ? `Restore the version of ${time.toISOString().slice(0, 16).replace("T", " ")} UTC`
      : `Restore version ${number}: ${name}`,
  /** The message of the commits that an import of files makes. */
  importedFiles: "Import files",
  importedWorkflow: "Imported workflow",
  publishedVersion: (number: number) => `Version ${number} is the published one. Publish another version first.`,
  inputWithdrawn: "Nobody waits for the answer any more.",
  failedStop: (reason: string) => `Failed to stop processor | ${reason}`,
  noProjectSelected: "No project selected",
  notPaused: "Processor needs to be in RESUME_READY state to continue",
  notImplemented: "Not implemented",

  sessionCost: (amount: string) => `This session has cost ${amount} in total.`,
  noCost: "No cost information available yet.",
  noPastSessions: "No previous sessions",
  noModels: "No results.",
  breakpointHit: "Breakpoint hit",
  exceptionIn: (nodeName: string) => `An Error occured in ${nodeName}`,
  exceptionAt: (functionName: string, line: number) => `Exception in ${functionName}() on line :${line}`,

  unknownCondition: (key: string) => `Unknown shown_when condition "${key}".`,
} as const;

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
