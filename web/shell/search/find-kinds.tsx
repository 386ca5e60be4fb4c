import { Box, CircleUser, Folder, ListChecks, type LucideIcon, Rocket, SquareCode, Workflow } from "lucide-react";

const icons = {
  project: Folder,
  workflow: Workflow,
  node: SquareCode,
  model: Box,
  run: ListChecks,
  person: CircleUser,
  deployment: Rocket,
} satisfies Record<string, LucideIcon>;

/** What the search finds. */
export type FindKind = keyof typeof icons;

export function isFindKind(value: unknown): value is FindKind {
  return typeof value === "string" && Object.hasOwn(icons, value);
}

export function FindIcon({ kind }: { kind: FindKind }) {
  const Icon = icons[kind];
  return <Icon className="size-4" aria-hidden="true" />;
}
