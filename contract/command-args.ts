import { fromBase64, toBase64 } from "./base64.ts";
import { isRecord, readJson } from "./json.ts";
import { debugging, draft, forceStop } from "./limits.ts";
import { type ExceptionMode, exceptionModes } from "./processor.ts";
import type { CompileAttributes } from "./schemas/processors.ts";

// The args of a command are one string, its parts separated by one space. Parsing returns undefined for a string that
// no builder here could have written.

/** A line to stop at: always, or only when a condition holds. With a message, the line is logged and does not stop. */
export type BreakpointLine = number | { line: number; condition?: string | undefined; log?: string | undefined };

/** Breakpoint lines by node id. */
export type BreakpointLines = Record<string, BreakpointLine[]>;
type GivenLines = Readonly<Record<string, readonly BreakpointLine[]>>;

/** Whether any of these lines carries Python code. Such code runs as part of the program, with the same rights. */
export function carryCode(lines: readonly BreakpointLine[]): boolean {
  return lines.some((line) => typeof line !== "number" && (line.condition !== undefined || line.log !== undefined));
}

export interface StartArgs {
  /** The first node that runs stops at this line. Undefined: it does not stop. */
  line: number | undefined;
  breakpoints: BreakpointLines;
}

const fromTheBeginning = -1;

export function startArgs(line?: number, breakpoints: GivenLines = {}): string {
  const set = Object.entries(breakpoints).filter(([, lines]) => lines.length > 0);
  const first = String(line ?? fromTheBeginning);
  return set.length === 0 ? first : `${first} ${toBase64(JSON.stringify(Object.fromEntries(set)))}`;
}

export function parseStartArgs(args = ""): StartArgs | undefined {
  if (args === "") return { line: undefined, breakpoints: {} };
  const [first, encoded, ...rest] = args.split(" ");
  if (first === undefined || !/^(?:-1|\d{1,9})$/.test(first) || rest.length > 0) return undefined;
  const breakpoints = encoded === undefined ? {} : parseJson(encoded);
  if (!isBreakpoints(breakpoints)) return undefined;
  const line = Number(first);
  return { line: line === fromTheBeginning ? undefined : line, breakpoints };
}

export function continueArgs(breakpoints: readonly BreakpointLine[]): string {
  return toBase64(JSON.stringify({ breakpoints }));
}

export function parseContinueArgs(args = ""): { breakpoints: BreakpointLine[] } | undefined {
  if (args === "") return { breakpoints: [] };
  const value = parseJson(args);
  return isRecord(value) && isLines(value["breakpoints"]) ? { breakpoints: value["breakpoints"] } : undefined;
}

/** Breakpoints for `break` (replaces those of the named nodes) and `clear` (without any, clears all). */
export function breakpointArgs(breakpoints: GivenLines): string {
  return toBase64(JSON.stringify(breakpoints));
}

export function parseBreakpointArgs(args = ""): { breakpoints: BreakpointLines | undefined } | undefined {
  if (args === "") return { breakpoints: undefined };
  const value = parseJson(args);
  return isBreakpoints(value) ? { breakpoints: value } : undefined;
}

const runId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const runModes = ["changed", "all", "one", "to", "from"] as const;
export type RunMode = (typeof runModes)[number];

/** What `run` runs and `plan` plans. The modes one, to and from name a node. */
export interface RunArgs {
  mode: RunMode;
  node?: number | undefined;
  breakpoints?: BreakpointLines | undefined;
  /** Nodes whose unsaved code is included although somebody else has edited it. */
  include?: readonly number[] | undefined;
  /** When exceptions stop the run. Left out: never. */
  exceptions?: ExceptionMode | undefined;
  /** Uses the kept results of earlier sessions. */
  resume?: boolean | undefined;
  /** Runs exactly what that run ran: its version and its mode. */
  repeats?: string | undefined;
  /** What the run may cost, in credits. */
  budget?: number | undefined;
  /** Tries this version of the node's template. The workflow keeps its code. */
  trial?: number | undefined;
}

export function runArgs(args: RunArgs): string {
  return toBase64(JSON.stringify(args));
}

export function parseRunArgs(args = ""): RunArgs | undefined {
  if (args === "") return { mode: "changed" };
  const value = parseJson(args);
  if (!isRecord(value)) return undefined;
  const { mode = "changed", node, breakpoints, include = [], exceptions, resume, repeats, budget, trial } = value;
  const known = runModes.find((name) => name === mode);
  if (!known || (node !== undefined && !isInteger(node))) return undefined;
  if (["one", "to", "from"].includes(known) && node === undefined) return undefined;
  if (breakpoints !== undefined && !isBreakpoints(breakpoints)) return undefined;
  if (!Array.isArray(include) || include.length > draft.includedMax || !include.every(isInteger)) return undefined;
  if (exceptions !== undefined && !isExceptionMode(exceptions)) return undefined;
  if (resume !== undefined && typeof resume !== "boolean") return undefined;
  if (repeats !== undefined && !(typeof repeats === "string" && runId.test(repeats))) return undefined;
  if (budget !== undefined && !(typeof budget === "number" && budget > 0 && Number.isFinite(budget))) return undefined;
  if (trial !== undefined && !(isInteger(trial) && node !== undefined)) return undefined;
  return {
    mode: known,
    node,
    breakpoints,
    ...(include.length > 0 && { include }),
    exceptions,
    ...(resume && { resume }),
    ...(repeats !== undefined && { repeats }),
    ...(budget !== undefined && { budget }),
    ...(trial !== undefined && { trial }),
  };
}

/** The transmitter whose last value `sample` shows. */
export interface SampleArgs {
  node: number;
  transmitter: string;
}

export function sampleArgs(args: SampleArgs): string {
  return toBase64(JSON.stringify(args));
}

export function parseSampleArgs(args = ""): SampleArgs | undefined {
  const value = parseJson(args);
  if (!isRecord(value)) return undefined;
  const { node, transmitter } = value;
  if (!isInteger(node) || typeof transmitter !== "string" || transmitter === "") return undefined;
  return { node, transmitter };
}

/** The node of a git command. Undefined: every node that has a repository. */
export function gitArgs(node?: number): string {
  return node === undefined ? "" : String(node);
}

export function parseGitArgs(args = ""): { node: number | undefined } | undefined {
  if (args === "") return { node: undefined };
  return /^\d{1,15}$/.test(args) ? { node: Number(args) } : undefined;
}

/** What `evaluate` evaluates where the processor is paused, and how. */
export interface EvaluateArgs {
  expression: string;
  /** Which frame of the stack, counted from the innermost. */
  frame: number;
  /** How long it may take. Undefined: until somebody stops it. */
  seconds?: number | undefined;
  /**
   * Refuse this in another person's run, instead of removing that person's secrets from it. For evaluations that nobody
   * started by hand.
   */
  onlyOwn?: boolean | undefined;
}

/** The expression, then the options that differ from the defaults. */
export function evaluateArgs(expression: string, how: Partial<Omit<EvaluateArgs, "expression">> = {}): string {
  const first = toBase64(expression);
  return Object.keys(how).length === 0 ? first : `${first} ${toBase64(JSON.stringify(how))}`;
}

export function parseEvaluateArgs(args = ""): EvaluateArgs | undefined {
  const [first = "", encoded, ...rest] = args.split(" ");
  const expression = fromBase64(first);
  const how = encoded === undefined ? {} : parseJson(encoded);
  if (expression === undefined || expression.trim() === "" || expression.length > debugging.expressionMax)
    return undefined;
  if (!isRecord(how) || rest.length > 0) return undefined;
  const { frame = 0, seconds, onlyOwn } = how;
  if (!isIndex(frame) || (onlyOwn !== undefined && typeof onlyOwn !== "boolean")) return undefined;
  if (seconds !== undefined && !(typeof seconds === "number" && seconds > 0 && seconds <= debugging.evaluateSecondsMax))
    return undefined;
  return { expression, frame, seconds, onlyOwn };
}

/** Which part of a shortened value `unfold` fetches. */
export interface UnfoldArgs {
  reference: number;
  from: number;
}

export function unfoldArgs(args: UnfoldArgs): string {
  return toBase64(JSON.stringify(args));
}

export function parseUnfoldArgs(args = ""): UnfoldArgs | undefined {
  const value = parseJson(args);
  if (!isRecord(value) || !isIndex(value["reference"]) || !isIndex(value["from"])) return undefined;
  return { reference: value["reference"], from: value["from"] };
}

/** The frame whose variables `frame` fetches. */
export function parseFrameArgs(args = ""): { frame: number } | undefined {
  return /^\d{1,4}$/.test(args) ? { frame: Number(args) } : undefined;
}

/** After how many seconds an interrupt stops by force what it still waits for. Left out: as the person has set it; 0: never. */
export function parseInterruptArgs(args = ""): { forceAfter: number | undefined } | undefined {
  if (args === "") return { forceAfter: undefined };
  const seconds = /^\d{1,5}$/.test(args) ? Number(args) : Number.NaN;
  return seconds <= forceStop.secondsMax ? { forceAfter: seconds } : undefined;
}

/** The node to stop by force: its metadata_id. */
export function parseForceStopArgs(args = ""): { node: number } | undefined {
  return /^[1-9]\d{0,14}$/.test(args) ? { node: Number(args) } : undefined;
}

export function parseExceptionArgs(args = ""): { mode: ExceptionMode } | undefined {
  return isExceptionMode(args) ? { mode: args } : undefined;
}

export interface CompileArgs {
  nodeId: number;
  attributes: CompileAttributes;
  code: string;
}

/** How many lines come before the code in a compile's text. Subtract them from the line numbers of its errors. */
export const compilePreambleLines = 2;

const preamble = /^__miranda_node_id__ = (\d+)\n__miranda_attributes__ = __import__\("json"\)\.loads\('([^\n]*)'\)\n/;

/**
 * Two lines of Python, then the unchanged code. Attributes without a value are left out, so the code's default applies.
 */
export function compileArgs({ nodeId, attributes, code }: CompileArgs): string {
  const set = attributes.filter(({ value }) => value !== undefined && value !== null);
  const json = JSON.stringify(Object.fromEntries(set.map(({ name, value }) => [name, value])));
  const quoted = json.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  return toBase64(
    `__miranda_node_id__ = ${nodeId}\n__miranda_attributes__ = __import__("json").loads('${quoted}')\n${code}`,
  );
}

/** Code without the preamble belongs to no node. Without args there is no code, and the compiler reports that. */
export function parseCompileArgs(args = ""): (Omit<CompileArgs, "nodeId"> & { nodeId: number | null }) | undefined {
  const text = fromBase64(args);
  if (text === undefined) return undefined;
  const match = preamble.exec(text);
  if (!match) return { nodeId: null, attributes: [], code: text };
  const values = readJson((match[2] ?? "").replaceAll(/\\(['\\])/g, "$1"));
  if (!isRecord(values)) return undefined;
  return {
    nodeId: Number(match[1]),
    attributes: Object.entries(values).map(([name, value]) => ({ name, value })),
    code: text.slice(match[0].length),
  };
}

function parseJson(encoded: string): unknown {
  const text = fromBase64(encoded);
  return text === undefined ? undefined : readJson(text);
}

function isExceptionMode(value: unknown): value is ExceptionMode {
  return exceptionModes.some((mode) => mode === value);
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isIndex(value: unknown): value is number {
  return isInteger(value) && value >= 0;
}

function isBreakpoints(value: unknown): value is BreakpointLines {
  return isRecord(value) && Object.values(value).every(isLines);
}

function isLines(value: unknown): value is BreakpointLine[] {
  return Array.isArray(value) && value.length <= debugging.breakpointsPerNode && value.every(isLine);
}

function isLine(value: unknown): value is BreakpointLine {
  if (!isRecord(value)) return isIndex(value) && value > 0;
  const { line, condition, log, ...rest } = value;
  const isText = (text: unknown) =>
    text === undefined || (typeof text === "string" && text.trim() !== "" && text.length <= debugging.conditionMax);
  return isIndex(line) && line > 0 && isText(condition) && isText(log) && Object.keys(rest).length === 0;
}
