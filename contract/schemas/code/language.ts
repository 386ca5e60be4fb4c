import { z } from "zod";

import { language as limits } from "../../limits.ts";

/** What a person asks about a place in a node's code. */
export const LanguageQuestion = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("completion") }),
  /** Details of one of the completions last sent to this connection. */
  z.object({ kind: z.literal("description"), list: z.number().int(), item: z.number().int().min(0) }),
  z.object({ kind: z.literal("hover") }),
  z.object({ kind: z.literal("signature") }),
  z.object({ kind: z.literal("definition") }),
  z.object({ kind: z.literal("rename"), name: z.string().min(1).max(limits.nameMax) }),
]);
export type LanguageQuestion = z.infer<typeof LanguageQuestion>;

/** Offsets count as strings do in JavaScript. */
export interface TextEdit {
  from: number;
  to: number;
  insert: string;
}

export interface LanguageCompletion {
  label: string;
  kind: string;
  /** A key to sort completions by. */
  sort: string;
  /** The module it would be imported from. */
  source?: string;
  /** What replaces the word at the cursor, when it is not the label. */
  edit?: TextEdit;
  /** Further edits, such as an import at the top. */
  more?: TextEdit[];
}

export interface LanguageSignature {
  label: string;
  text: string;
  /** Where in the label each parameter is. */
  parameters: [number, number][];
  active: number;
}

/** In the same code, or in a file that can only be looked at. */
export type LanguagePlace =
  | { kind: "here"; from: number; to: number }
  | { kind: "file"; name: string; text: string; from: number };

export type LanguageAnswer =
  | { kind: "completion"; list: number; items: LanguageCompletion[]; isWhole: boolean }
  | { kind: "description"; text: string }
  | { kind: "hover"; text: string; from: number; to: number }
  | { kind: "signature"; signatures: LanguageSignature[]; active: number }
  | { kind: "definition"; place: LanguagePlace }
  | { kind: "rename"; edits: TextEdit[] };

export interface LanguageAnswerEvent {
  metadata_id: number;
  /** The asker's own number of the question. */
  number: number;
  /** Null when there is nothing to show. */
  answer: LanguageAnswer | null;
}

export interface LanguageDiagnostic {
  from: number;
  to: number;
  severity: "error" | "warning" | "info" | "hint";
  message: string;
  /** The name of the rule. */
  rule?: string;
  /** Code that nothing needs. */
  isUnused?: true;
}

export interface LanguageDiagnosticsEvent {
  metadata_id: number;
  diagnostics: LanguageDiagnostic[];
}

/**
 * `busy`: the limit of workflows with language help is reached. `failed`: it keeps crashing. `off`: this installation
 * has none.
 */
export type LanguageState = "starting" | "ready" | "busy" | "failed" | "off";

export interface LanguageStateEvent {
  graph_id: string;
  state: LanguageState;
}
