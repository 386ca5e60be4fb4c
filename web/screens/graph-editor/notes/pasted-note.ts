import { note as limits } from "@miranda/contract/limits.ts";

const [width, lineHeight, padding, charactersInLine] = [320, 21, 40, 42];

/** A note that is as high as its text, up to a limit. */
export function pastedNote(text: string) {
  const lines = text.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / charactersInLine)), 0);
  const height = Math.min(480, Math.max(limits.height.min, lines * lineHeight + padding));
  return {
    key: "note",
    class: "note" as const,
    name: "Note",
    description: text,
    position: { x: 0, y: 0 },
    body: { width, height },
  };
}
