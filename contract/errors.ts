/**
 * Every refusal of the server, by code, with the words that people read. Only the server's error handler knows status
 * numbers.
 */
export const errors = {
  bad_request: "The request could not be understood.",
  page_key_unreadable: "This page key cannot be read. Start again with the first page.",
  invalid_body: "The body does not match its content type.",
  unsupported_body: "Send a form or JSON.",
  body_too_large: "That is too large.",
  not_found: "Not found.",
  not_signed_in: "You are not signed in.",
  wrong_credentials: "Wrong username or password.",
  wrong_password: "Wrong password.",
  password_needed: "Enter your password to change your e-mail.",
  username_taken: "That username is taken.",
  email_taken: "There is already an account with that e-mail.",
  wrong_username: "That is not your username.",
  last_admin: "This is the only administrator account, so it cannot be deleted.",
  transfer_needs_editor: "A project can be handed over only to one of its editors. Nothing was deleted.",
  foreign_origin: "This request comes from another site.",
  unknown_host:
    "This is not one of Miranda's host names. Its operator can set PUBLIC_URL to the address people use, or add the name to MIRANDA_HOSTS.",
  session_only: "An access token cannot do this. Sign in with your password.",
  not_admin: "Only an administrator may do this.",
  too_many_attempts: "Too many attempts.",
  too_many_calls: "That is too many calls.",
  too_many_tokens: "You have too many access tokens. Revoke one first.",
  too_many_projects: "You have as many projects as one account can have. Delete one first.",
  too_many_projects_there: "That account has as many projects as one account can have.",
  project_full: "This project has as many workflows as a project can have. Delete one first, or use another project.",
  too_many_nodes: "This workflow has as many nodes as a workflow can have. Nothing was added.",
  too_many_templates: "You have published as many templates as one account can. Delete one first.",
  too_many_secrets: "You have as many secrets as one account can have. Delete one first.",
  too_many_project_secrets: "This project has as many secrets as a project can have. Delete one first.",
  avatar_not_image: "Please choose a PNG, JPEG or WebP picture.",
  avatar_too_large: "That picture is too large. 5 MB is the most.",
  result_not_found: "It is not kept any more.",
  result_damaged: "Its file was damaged and has been removed.",
  result_too_large: "It is too large to be kept.",
  result_no_room: "The server's disk has no room for it.",
  not_ready: "Miranda is starting or its database is away.",
  internal: "Something went wrong on our side.",

  // Refusals of the socket.
  unknown_event: "There is no such event.",
  unknown_channel: "There is no such channel.",
  invalid_broadcast: "That is not what this channel carries.",
  not_entered: "Enter a workflow first.",
  message_too_large: "That message is too large.",
  too_many_messages: "That is too many messages. Slow down.",
  too_many_connections: "You have too many connections. Close some tabs.",
  too_many_workflows: "You have too many workflows open in one connection.",

  // A missing object and one that may not be read get the same words. Different words would reveal that it exists.
  project_not_found: "Project not found.",
  graph_not_found: "Workflow not found.",
  node_not_found: "Node not found.",
  nodes_gone: "One of these nodes is no longer there. Nothing was changed.",
  edge_not_found: "Edge not found.",
  attribute_not_found: "Attribute not found.",
  commit_not_found: "Commit not found.",
  version_not_found: "Version not found.",
  prefab_not_found: "Prefab not found.",
  blueprint_not_found: "Blueprint not found.",
  job_not_found: "Session not found.",
  run_not_found: "Run not found.",
  secret_not_found: "Secret not found.",
  account_not_found: "There is no account with that username or e-mail.",
  member_not_found: "That account is not a member of this project.",

  version_damaged: "A part of this version cannot be read. Nothing was changed.",
  version_nodes_unknown: "One of these nodes is not in that version. Nothing was changed.",
  version_not_named: "Only a version with a number can be deleted. The others are removed automatically.",
  version_in_use: "Something uses this version.",
  too_many_versions: "This workflow has as many versions as a workflow can have. Delete one first.",
  versions_full: "The versions of this project take up all the space they can have. Delete some first.",
  left_out_unknown: "One of the nodes to leave out is not in this workflow. Nothing was published.",
  left_out_needs_publish: "Only publishing can leave nodes out.",
  nothing_to_publish: "Nothing has changed since the last published version.",
  nothing_to_restore_version: "The workflow is already as it was in that version.",

  nothing_to_commit: "Nothing has changed since the last commit.",
  nothing_to_restore_code: "The node already has the code of that commit.",
  code_changed: "The code of the node has just been changed. Try again.",
  package_declared: "This node asks for that package already.",
  packages_unreadable: "The list of packages in this code cannot be read. Add the package by hand.",
  too_much_unsaved: "There is too much unsaved code for one run. Commit some of it first.",
  code_does_not_parse: "The code cannot be read.",
  code_too_long: "Code can have at most 1,000,000 characters.",
  draft_too_large: "This document has grown too large. Commit it, close it everywhere and open it again.",
  draft_outdated:
    "The code changed below this draft. Open the code and decide: keep the draft, take the stored code, or put both together. Nothing was changed.",
  draft_out_of_step: "Your copy of this code is out of step. It is fetched again.",
  format_wrong_code: "The code cannot be formatted while it is wrong.",
  format_failed: "The code could not be formatted.",
  language_too_long: "This code is too long for completion and checks.",
  too_many_questions: "That is too many questions at once. Wait for their answers.",
  too_many_documents: "You have too many nodes open. Close some tabs.",

  // Objects that may be read but not changed.
  project_read_only: "You may look at this project but not change it.",
  graph_read_only: "You may look at this workflow but not change it.",
  owner_only: "Only the owner of this project may do this.",
  move_needs_write: "You may not change the project you want to move this workflow to.",
  already_there: "The workflow is already in that project.",
  clone_needs_private: "This workflow is private. Clone it into a private project.",
  node_locked: "This node is locked.",
  question_closed: "Nobody waits for this answer any more.",
  secret_forbidden: "You may not see the secrets of this project.",

  already_member: "That account is already a member of this project.",
  owner_is_member: "The owner is always a member. Transfer the project first.",
  last_owner: "The last owner cannot leave. Transfer the project first.",
  transfer_to_owner: "That account already owns this project.",

  edge_exists: "These two attributes are already joined.",
  edge_other_graph: "Both ends of an edge must be in the same workflow.",
  edge_not_transmitter: "An edge starts at a transmitter.",
  edge_not_receiver: "An edge ends at a receiver.",
  edge_kind_differs: "These two attributes are of different kinds.",
  edge_same_attribute: "An attribute cannot be joined to itself.",
  edge_unknown_node: "An edge names a node that is not among those sent.",
  wrong_wob_type: "There is no such type of object.",
  not_template: "This node was not made from a template.",
  no_update: "The template of this node has nothing newer.",
  template_read_only: "Only the person who published this may change it.",
  policy_has_no_code: "A policy has no code.",
  body_is_for_policies: "Only a policy has a body.",
  attribute_from_edge: "This attribute gets its value from an edge.",
  attribute_twice: "Two attributes have the same name.",
  wrong_value: "That value does not fit the attribute.",
  file_too_large: "A file can have at most 10 MB.",
  too_many_files:
    "You have put as much into nodes as one account can. Remove some files first: after a day they no longer count.",
  file_not_found: "File not found.",
  too_many_tags: "That is too many tags for one node.",
  too_many_groups: "That is too many groups for one workflow.",
  group_not_found: "Group not found.",
  not_a_clone: "This workflow is not a clone.",
  merge_source_gone: "The other workflow was deleted, or you may no longer read it.",
  merge_with_itself: "Choose another workflow. This one cannot be merged into itself.",
  merge_needs_private: "The other workflow is private. Its changes can be brought only into a private project.",
  merge_outdated: "One of the workflows changed since you looked. Look again. Nothing was changed.",
  merge_undecided: "Decide every conflict first. Nothing was changed.",
  merge_conflict_gone: "One of these conflicts is no longer there. Look again. Nothing was changed.",
  merge_choose_side: "Here you can only choose one of the two sides. Nothing was changed.",
  nothing_to_merge: "There is nothing new to merge.",
  nothing_selected: "Choose at least one node.",
  nothing_to_restore: "None of these nodes can be brought back.",
  not_compute_policy: "That node is not a compute policy.",
  graphml_invalid: "That is not a GraphML file we can read.",
  graph_too_large: "A workflow can hold at most 128 MB of code and values.",
  graphml_too_large: "That GraphML file is too large.",
  too_much_version_work: "You are comparing, merging or storing many versions already. Wait until one of them is done.",
  too_many_exports: "You are downloading several workflows already. Wait until one of them is done.",
  too_many_imports: "You are importing several files already. Wait until one of them is done.",
  workflow_files_invalid: "This zip does not contain a workflow.",
  workflow_files_too_large: "This zip is too large. Nothing was imported.",
  zip_unreadable: "That is not a zip file we can read. Nothing was imported.",
  zip_bomb: "This zip would unpack to more than 256 MB. Nothing was imported.",
  zip_unsafe_name: "A file in this zip has a name that is not safe. Nothing was imported.",
  sdk_differs: "This workflow needs another version of Miranda. Nothing was imported.",
  imports_busy: "Many large files are being imported. Try again in a minute.",

  invalid_execution_token: "Invalid execution token",
  out_of_credits: "You are out of credits.",
  trial_ended: "Your trial has ended.",
  unknown_command: "There is no such command.",
  invalid_args: "The arguments of that command could not be read.",
  no_processor: "No processor to call command on",
  processor_exists: "This workflow already has a processor.",
  processor_busy: "The processor cannot do that in its present state.",
  nothing_to_interrupt: "Nothing runs that could be interrupted.",
  not_paused: "Processor needs to be in RESUME_READY state to continue",
  run_of_another:
    "This run uses personal secrets of the person who started it, so only that person can evaluate code in it.",
  run_by_another: "Somebody else started this run. Watches are evaluated in your own runs only.",
  job_ended: "That session has already ended.",
  run_alive: "This run has not ended yet. Stop it first.",
  run_graph_unknown: "What this run was given is not stored.",
  budget_not_asked: "This run does not wait for an answer. Somebody may have answered already.",
  budget_waits: "This run has reached its limit. Allow it more, or stop it.",
  day_budget_reached: "The project has reached its limit for today.",
  day_budget_owner: "Only the owner of the project may let a run go past the limit of the day.",
  webhook_not_found: "Webhook not found.",
  webhook_private: "That address is private. A webhook needs a public one.",
  too_many_webhooks: "This project has as many webhooks as a project can have. Delete one first.",
  too_many_webhook_tests: "You are testing several webhooks already. Wait for their answers.",
  notification_not_found: "Notification not found.",
  // Refusals of an agent's calls.
  runner_unknown: "This token is not the job's.",
  runner_ended: "That session has already ended.",
  runner_busy: "Too many batches of this session wait to be read.",
  events_out_of_order: "Events are missing before these.",

  git_not_set: "This node has no git repository.",
  git_none_set: "No node of this workflow has a git repository.",
  git_scheme: "A git repository has an https or ssh address.",
  git_path: "What follows # is a file in the repository, such as nodes/train.py.",
  git_branch: "That is not the name of a branch.",
  git_diverged: "The node has commits of its own since the last pull.",
} as const satisfies Record<string, string>;

export type ErrorCode = keyof typeof errors;

/** The header that carries the code of a refusal. Programs compare the code, people read the words. */
export const errorHeader = "x-miranda-error";

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errors, text);
}

/** The header with the place in the code that caused a refusal, as `node:line`. */
export const placeHeader = "x-miranda-place";

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
  outdatedDraft: (node: string) =>
    `${node}: the code changed below your draft. Keep the draft, take the stored code, or put both together. Nothing was run.`,
  codeNotSent: "Your newest changes have not reached the server yet. Nothing was run.",
  failedCommand: (command: string, reason: string) => `Failed to call command "${command}" | ${reason}.`,
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

  sessionCost: (sign: string, amount: number | string) => `This session has cost ${sign}${amount} in total.`,
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
