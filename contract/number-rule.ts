export interface NumberRange {
  min: number;
  max: number;
}

export type NumberKind = "any" | "whole";

export function numberWords(label: string, { min, max }: NumberRange, kind: NumberKind): string {
  return `${label} must be a ${kind === "whole" ? "whole " : ""}number from ${min} to ${max}.`;
}

/** What is wrong with a text that should be a number. Undefined when nothing is. */
export function numberProblem(label: string, range: NumberRange, kind: NumberKind, text: string): string | undefined {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  const isRight = value >= range.min && value <= range.max && (kind === "any" || Number.isInteger(value));
  return isRight ? undefined : numberWords(label, range, kind);
}
