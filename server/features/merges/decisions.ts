import type { Conflict, Resolution } from "@miranda/contract/schemas/versions.ts";

import { AppError } from "../../platform/errors/app-error.ts";

/** What a person decided, by conflict id. */
export type Resolutions = Readonly<Record<string, Resolution>>;

export type Decisions = ReturnType<typeof createDecisions>;

/** What a conflict is about. `key` tells edges apart, which have no lineage. */
type About<Value> = Omit<Conflict, "id" | "theirs" | "mine"> & { theirs: Value; mine: Value; key?: string };

/** Reads a value that a person wrote instead of choosing a side. */
export type ReadValue<Value> = (given: unknown) => Value;

/** Collects the conflicts of a merge and decides each as the person did. Without a decision mine stays. */
export function createDecisions(resolutions: Resolutions) {
  const conflicts: Conflict[] = [];
  return {
    conflicts,

    decide<Value>({ key, ...about }: About<Value>, read?: ReadValue<Value>): Value {
      const id = [about.kind, key ?? about.lineage, about.field].join(":");
      conflicts.push({ id, ...about });
      const resolution = Object.hasOwn(resolutions, id) ? resolutions[id] : undefined;
      if (resolution === undefined || resolution === "mine") return about.mine;
      if (resolution === "theirs") return about.theirs;
      if (!read) throw new AppError("merge_choose_side");
      return read(resolution.value);
    },
  };
}

/** A merge decides every conflict. An undecided one would lose their side for good. */
export function refuseUndecided(conflicts: readonly Conflict[], resolutions: Resolutions): void {
  const ids = new Set(conflicts.map(({ id }) => id));
  if (Object.keys(resolutions).some((id) => !ids.has(id))) throw new AppError("merge_conflict_gone");
  if (conflicts.some(({ id }) => !Object.hasOwn(resolutions, id))) throw new AppError("merge_undecided");
}
