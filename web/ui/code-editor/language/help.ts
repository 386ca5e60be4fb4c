// What an editor can ask about its code, independent of who answers. Offsets are the editor's own.

export interface TextEdit {
  from: number;
  to: number;
  insert: string;
}

export interface HelpCompletion {
  label: string;
  kind: string;
  sort: string;
  source?: string;
  edit?: TextEdit;
  more?: TextEdit[];
}

export interface HelpSignature {
  label: string;
  text: string;
  parameters: [number, number][];
  active: number;
}

export type HelpPlace =
  | { kind: "here"; from: number; to: number }
  | { kind: "file"; name: string; text: string; from: number };

/** Every answer may be null: nothing was found, or there is no language server. */
export interface LanguageHelp {
  complete(at: number): Promise<{ list: number; items: HelpCompletion[]; isWhole: boolean } | null>;
  describe(list: number, item: number): Promise<string | null>;
  hover(at: number): Promise<{ text: string; from: number; to: number } | null>;
  signature(at: number): Promise<{ signatures: HelpSignature[]; active: number } | null>;
  definition(at: number): Promise<HelpPlace | null>;
  rename(at: number, name: string): Promise<TextEdit[] | null>;
  /** Shows a file that is not in this editor. */
  show(file: Extract<HelpPlace, { kind: "file" }>): void;
  /** Shows a message that belongs to no place in the code. */
  notify(text: string): void;
}
