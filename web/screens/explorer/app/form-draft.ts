import { isRecord } from "../../../is-record.ts";
import type { FormValues } from "../../../panels/app-form/form-values.ts";

const sizeMax = 500_000;

/** A chosen file, by the name of its field. */
export interface DraftFile {
  name: string;
  /** Where it is kept. Null: it is not, and has to be chosen again. */
  key: string | null;
}

export interface FormDraft {
  values: FormValues;
  files: Readonly<Record<string, DraftFile>>;
}

// In this tab only: somebody else may use the same browser later.

/** What was entered into a form and not run yet. It survives a reload. */
export function readDraft(key: string): FormDraft {
  const nothing = { values: {}, files: {} };
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? "null");
    if (!isRecord(kept) || !isRecord(kept["values"]) || !isRecord(kept["files"])) return nothing;
    return { values: kept["values"], files: kept["files"] as FormDraft["files"] };
  } catch {
    return nothing;
  }
}

export function writeDraft(key: string, { values, files }: FormDraft): void {
  const plain = Object.fromEntries(Object.entries(values).filter(([, value]) => !(value instanceof File)));
  const text = JSON.stringify({ values: plain, files });
  try {
    if (text.length <= sizeMax) sessionStorage.setItem(key, text);
  } catch {
    // Storage is off or full: the form works without it.
    return;
  }
}

export function dropDraft(key: string): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    return;
  }
}
