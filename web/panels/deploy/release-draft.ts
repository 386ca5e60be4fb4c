import type { Release, ReleaseProposal } from "@miranda/contract/schemas/deployments/deployments.ts";
import type { ReleaseForm } from "@miranda/contract/schemas/deployments/release-forms.ts";

import { checkForm } from "../app-form/form-values.ts";

/** A field, an output or a step of the form that somebody is making. Those in the form have `ticked`. */
export type DraftField = ReleaseProposal["fields"][number] & {
  /** What somebody entered as the default, also when it is wrong. Undefined when nobody did. */
  entered?: unknown;
};
export type DraftOutput = ReleaseProposal["outputs"][number];
export type DraftStep = ReleaseProposal["steps"][number];

/** In the order of the form: ticked fields first. */
export interface ReleaseDraft {
  fields: readonly DraftField[];
  outputs: readonly DraftOutput[];
  steps: readonly DraftStep[];
}

const tickedFirst = <Item extends { ticked: boolean }>(items: readonly Item[]): Item[] => [
  ...items.filter(({ ticked }) => ticked),
  ...items.filter(({ ticked }) => !ticked),
];

export function draftOf({ fields, outputs, steps }: ReleaseProposal): ReleaseDraft {
  return { fields: tickedFirst(fields), outputs: tickedFirst(outputs), steps };
}

/** For another version: what was ticked and written stays where that version has the same field, output or step. */
export function carriedOver(draft: ReleaseDraft, proposal: ReleaseProposal): ReleaseDraft {
  return {
    fields: tickedFirst(kept(draft.fields, proposal.fields, ({ wob_key, attribute }) => `${wob_key} ${attribute}`)),
    outputs: tickedFirst(
      kept(draft.outputs, proposal.outputs, ({ wob_key, transmitter }) => `${wob_key} ${transmitter}`),
    ),
    steps: proposal.steps.map((step) => draft.steps.find(({ wob_key }) => wob_key === step.wob_key) ?? step),
  };
}

/** What both have comes first, in the earlier order and as it was edited; its kind and control are those of the version. */
function kept<Item extends object>(
  before: readonly Item[],
  after: readonly Item[],
  keyOf: (item: Item) => string,
): Item[] {
  const left = new Map(after.map((item) => [keyOf(item), item]));
  const both = before.flatMap((item) => {
    const now = left.get(keyOf(item));
    if (!now) return [];
    left.delete(keyOf(item));
    return [{ ...item, ...("kind" in now && "control" in now ? { kind: now.kind, control: now.control } : {}) }];
  });
  return [...both, ...left.values()];
}

/** What is sent. Steps without words are left out. */
export function formOf({ fields, outputs, steps }: ReleaseDraft): ReleaseForm {
  return {
    fields: fields
      .filter(({ ticked }) => ticked)
      .map(({ node_name: _node, ticked: _ticked, entered: _entered, ...field }) => ({
        ...field,
        label: field.label.trim(),
      })),
    outputs: outputs
      .filter(({ ticked }) => ticked)
      .map(({ node_name: _node, ticked: _ticked, ...output }) => ({ ...output, label: output.label.trim() })),
    steps: steps.filter(({ label }) => label.trim() !== ""),
  };
}

/** A field of the form as the control for its default asks for it. */
export const defaultField = (field: DraftField) => ({
  ...{ ...field, label: "Default value" },
  ...{ help: "", required: false, default: null },
});

/** What is wrong with the default that somebody entered, by the limits that the field has now. */
export function defaultProblem(field: DraftField): string {
  if (field.entered === undefined || field.control?.type === "file") return "";
  const checked = checkForm([defaultField(field)], { [field.name]: field.entered });
  return "problems" in checked ? (checked.problems[0]?.message ?? "") : "";
}

/** The field with the default that somebody entered. A wrong one is kept as it was typed, and the default stays. */
export function withDefault(field: DraftField, entered: unknown): Partial<DraftField> {
  const checked = checkForm([defaultField(field)], { [field.name]: entered });
  return { entered, ...("inputs" in checked && { default: checked.inputs[field.name] ?? null }) };
}

/** Moves the item at `from` by some places. Ticked items stay among the ticked ones. */
export function moved<Item extends { ticked: boolean }>(items: readonly Item[], from: number, to: number): Item[] {
  const last = items.filter(({ ticked }) => ticked).length - 1;
  const item = items[from];
  if (!item?.ticked) return [...items];
  const rest = items.toSpliced(from, 1);
  return rest.toSpliced(Math.min(Math.max(to, 0), last), 0, item);
}

/** A newly ticked item is the last of the form; one that leaves it is the first of the others. */
export function ticked<Item extends { ticked: boolean }>(items: readonly Item[], at: number, isIn: boolean): Item[] {
  const item = items[at];
  if (!item || item.ticked === isIn) return [...items];
  const rest = items.toSpliced(at, 1);
  const end = rest.filter((one) => one.ticked).length;
  return rest.toSpliced(end, 0, { ...item, ticked: isIn });
}

export function changed<Item>(items: readonly Item[], at: number, changes: Partial<Item>): Item[] {
  return items.map((item, index) => (index === at ? { ...item, ...changes } : item));
}

const nameLength = { min: 3, max: 60 } as const;

/** A short name made of a title: small letters, digits and dashes, beginning with a letter. */
export function suggestedName(title: string): string {
  const words = title
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, nameLength.max)
    .replace(/-+$/, "");
  return words.length >= nameLength.min ? words : `${words === "" ? "app" : words}-app`;
}

/** For a name that is taken: the same with a number. */
export function numberedName(name: string, number: number): string {
  const ending = `-${number}`;
  return `${name.slice(0, nameLength.max - ending.length).replace(/-+$/, "")}${ending}`;
}

export function nameProblem(name: string): string | undefined {
  return /^[a-z][a-z0-9-]{1,58}[a-z0-9]$/.test(name.trim())
    ? undefined
    : "Use 3 to 60 small letters, digits and dashes, beginning with a letter.";
}

/** What callers will notice compared with the release before, in words. */
export function changeWords(before: Release["form"], after: ReleaseForm): string[] {
  const was = new Map(before.fields.map((field) => [field.name, field]));
  const is = new Map(after.fields.map((field) => [field.name, field]));
  const words: string[] = [];
  for (const field of after.fields) {
    const old = was.get(field.name);
    if (!old) words.push(`Asks for “${field.label}”${field.required ? ", which is required" : ""}.`);
    else if (JSON.stringify({ ...old, wob_key: 0 }) !== JSON.stringify({ ...field, wob_key: 0 }))
      words.push(`The field “${field.label}” has changed.`);
  }
  for (const field of before.fields) if (!is.has(field.name)) words.push(`No longer asks for “${field.label}”.`);
  const outputs = new Set(before.outputs.map(({ name }) => name));
  const shown = new Set(after.outputs.map(({ name }) => name));
  for (const output of after.outputs) if (!outputs.has(output.name)) words.push(`Shows “${output.label}”.`);
  for (const output of before.outputs) if (!shown.has(output.name)) words.push(`No longer shows “${output.label}”.`);
  return words;
}
