import type { ErrorCode } from "./errors.ts";
import type { Member } from "./schemas/members.ts";
import type {
  ActedEvent,
  BreakEvent,
  CommandEvent,
  CompileEvent,
  EvaluateEvent,
  ExceptionEvent,
  FrameEvent,
  GitEvent,
  InfoEvent,
  InterruptingEvent,
  JobSummary,
  LinesLeftOutEvent,
  LogEntry,
  NodeOutput,
  NodeBarsEvent,
  NodeRunsEvent,
  OutputsLeftOutEvent,
  PlanEvent,
  RunEndedEvent,
  RunningNodeEvent,
  SampleEvent,
  UnfoldEvent,
} from "./schemas/processors.ts";
import { type BroadcastChannel, broadcastChannels } from "./broadcast-channels.ts";
import type { BroadcastData } from "./schemas/broadcasts.ts";
import type { GraphChange } from "./schemas/changes.ts";
import type { CommentsEvent } from "./schemas/comments/comments.ts";
import type { CallEvent } from "./schemas/deployments/calls.ts";
import type { DeploymentEvent } from "./schemas/deployments/deployments.ts";
import type { CodeDocumentEvent, CodeGoneEvent, CodeUpdateEvent, DraftEvent } from "./schemas/code.ts";
import type {
  LanguageAnswerEvent,
  LanguageDiagnosticsEvent,
  LanguageQuestion,
  LanguageStateEvent,
} from "./schemas/code/language.ts";
import type {
  AccessEvent,
  AskForPasswordEvent,
  PasswordClosedEvent,
  EnteredGraph,
  EvictedEvent,
  NoticeEvent,
  StatusEvent,
  ViewEvent,
} from "./schemas/realtime.ts";
import type { NotificationEvent, Unread } from "./schemas/news/notifications.ts";
import type { RunDeletedEvent, RunEvent, RunMetricsEvent } from "./schemas/runs.ts";
import type { VersionsEvent } from "./schemas/versions.ts";

// Every socket event, in both directions. Server and client take the names from here.

/** Readers may broadcast what they look at. Every other broadcast is an edit and needs write access. */
export const readerChannels: readonly BroadcastChannel[] = ["selection", "follow", "view"];

export type BroadcastEvent = `broadcast<${string}>(${BroadcastChannel})`;
export type LogsEvent = `logs[${string}]`;

/** Answers the sender of an event: null when it was accepted, else the words and the code of the refusal. */
export type Acknowledge = (refusal: string | null, code?: ErrorCode) => void;
/** Answers an entry. An accepted one also gets the revision of the graph, so the client can fetch a newer copy. */
export type AcknowledgeEntry = (
  ...answer: [refusal: null, entered: EnteredGraph | undefined] | [refusal: string, code: ErrorCode]
) => void;

export interface ClientEvents {
  enter_project: (graphId: string, acknowledge?: AcknowledgeEntry) => void;
  /** Receives the events of a graph without being shown as present. */
  watch_project: (graphId: string, acknowledge?: Acknowledge) => void;
  renew_project_presence: (graphId: string, acknowledge?: Acknowledge) => void;
  leave_project: (graphId: string, acknowledge?: Acknowledge) => void;
  broadcast: <Channel extends BroadcastChannel>(
    name: Channel,
    data: BroadcastData[Channel],
    acknowledge?: Acknowledge,
  ) => void;
  /** Opens a node's shared code. After a reconnect the client sends which document it has and its state. */
  code_open: (metadataId: number, epoch: string | null, vector: Uint8Array | null, acknowledge?: Acknowledge) => void;
  code_update: (metadataId: number, epoch: string, update: Uint8Array, acknowledge?: Acknowledge) => void;
  code_awareness: (metadataId: number, update: Uint8Array, acknowledge?: Acknowledge) => void;
  code_close: (metadataId: number, acknowledge?: Acknowledge) => void;
  /** Starts language help for code that this connection has open. From then on it receives diagnostics. */
  language_open: (metadataId: number, acknowledge?: Acknowledge) => void;
  /** The place is an encoded Yjs relative position, so it stays right while others type. */
  language_ask: (
    metadataId: number,
    number: number,
    question: LanguageQuestion,
    at: Uint8Array | null,
    acknowledge?: Acknowledge,
  ) => void;
  language_close: (metadataId: number, acknowledge?: Acknowledge) => void;
}

export interface ServerEvents {
  ready: () => void;
  /** JSON text of a RealtimeMessage. */
  realtime_message_queue: (message: string) => void;
  project_members: (event: { members: Member[] }) => void;
  entered_project: (event: { user: Member }) => void;
  left_project: (event: { user: Member }) => void;
  notice: (event: NoticeEvent) => void;
  evicted: (event: EvictedEvent) => void;
  access: (event: AccessEvent) => void;
  /** The server's event for every change. Broadcasts between clients may get lost. */
  "update[GRAPH]": (change: GraphChange) => void;
  "update[VIEW]": (event: ViewEvent) => void;
  /** A version was made or deleted. Fetch the list. */
  "update[VERSIONS]": (event: VersionsEvent) => void;
  /** A run of the workflow began, changed or ended. */
  "update[RUN]": (event: RunEvent) => void;
  "delete[RUN]": (event: RunDeletedEvent) => void;
  /** A thread was made, answered, changed, resolved or deleted. Fetch it. */
  "update[COMMENTS]": (event: CommentsEvent) => void;
  run_metrics: (event: RunMetricsEvent) => void;
  /** To the room of a deployment: it changed, or one of its calls did. */
  "update[DEPLOYMENT]": (event: DeploymentEvent) => void;
  "update[CALL]": (event: CallEvent) => void;
  /** To every tab of an account, through its message queue. */
  "new[NOTIFICATION]": (event: NotificationEvent) => void;
  /** Some were read in another tab. */
  "update[NOTIFICATIONS]": (event: Unread) => void;
  code_document: (event: CodeDocumentEvent) => void;
  code_update: (event: CodeUpdateEvent) => void;
  code_awareness: (event: CodeUpdateEvent) => void;
  code_gone: (event: CodeGoneEvent) => void;
  /** A node's code became unsaved, or no longer is. */
  code_draft: (event: DraftEvent) => void;
  language_state: (event: LanguageStateEvent) => void;
  language_answer: (event: LanguageAnswerEvent) => void;
  language_diagnostics: (event: LanguageDiagnosticsEvent) => void;
  status: (event: StatusEvent) => void;
  ask_for_password: (event: AskForPasswordEvent) => void;
  password_closed: (event: PasswordClosedEvent) => void;
  "new[DOCKER_JOB]": (job: JobSummary) => void;
  "update[DOCKER_JOB]": (job: JobSummary) => void;
  break: (event: BreakEvent) => void;
  exception: (event: ExceptionEvent) => void;
  running_node: (event: RunningNodeEvent) => void;
  compile: (event: CompileEvent) => void;
  "git-pull": (event: GitEvent) => void;
  "git-soft-pull": (event: GitEvent) => void;
  "git-push": (event: GitEvent) => void;
  "run-setup": (event: CommandEvent) => void;
  evaluate: (event: EvaluateEvent) => void;
  frame: (event: FrameEvent) => void;
  unfold: (event: UnfoldEvent) => void;
  plan: (event: PlanEvent) => void;
  sample: (event: SampleEvent) => void;
  node_runs: (event: NodeRunsEvent) => void;
  node_bars: (event: NodeBarsEvent) => void;
  acted: (event: ActedEvent) => void;
  interrupting: (event: InterruptingEvent) => void;
  run_ended: (event: RunEndedEvent) => void;
  info: (event: InfoEvent) => void;
  output: (event: NodeOutput) => void;
  /** To one connection that read too slowly: it did not get these lines, or some outputs. Fetch them. */
  lines_left_out: (event: LinesLeftOutEvent) => void;
  outputs_left_out: (event: OutputsLeftOutEvent) => void;
  [logs: LogsEvent]: (entries: LogEntry[]) => void;
  [broadcast: BroadcastEvent]: (data: unknown) => void;
}

/** The name under which a broadcast is sent to the others. It contains the sender, so a payload cannot forge one. */
export function broadcastEvent<Channel extends BroadcastChannel>(
  sender: string,
  channel: Channel,
): `broadcast<${string}>(${Channel})` {
  return `broadcast<${sender}>(${channel})`;
}

export function parseBroadcastEvent(event: string): { sender: string; channel: BroadcastChannel } | undefined {
  const match = /^broadcast<(.*)>\(([^()<>]+)\)$/.exec(event);
  const channel = broadcastChannels.find((name) => name === match?.[2]);
  return match?.[1] === undefined || channel === undefined ? undefined : { sender: match[1], channel };
}

/** The name under which the client passes a broadcast to its own listeners, with sender and data. */
export function receivedBroadcast<Channel extends BroadcastChannel>(channel: Channel): `broadcast(${Channel})` {
  return `broadcast(${channel})`;
}

export function logsEvent(jobId: string): LogsEvent {
  return `logs[${jobId}]`;
}

/** The session whose lines an event carries. Undefined for any other event. */
export function parseLogsEvent(event: string): string | undefined {
  return event.startsWith("logs[") ? event.slice("logs[".length, -1) : undefined;
}
