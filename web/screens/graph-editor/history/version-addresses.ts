import type { Version } from "@miranda/contract/schemas/versions.ts";

import { graphAddress } from "../../../api/graphs.ts";
import { now, type Sides } from "../../../api/versions.ts";

/** What names a version in an address: the number that people know, or the id of an automatic one. */
export function versionKey({ id, number }: Pick<Version, "id" | "number">): string {
  return number === null ? id : String(number);
}

export function historyAddress(projectId: string, graphId: string, version?: string): string {
  const address = `${graphAddress(projectId, graphId)}/history`;
  return version === undefined ? address : `${address}?version=${version}`;
}

export function compareAddress(projectId: string, graphId: string, sides: Partial<Sides> = {}): string {
  const query = new URLSearchParams({
    ...(sides.before !== undefined && { before: sides.before }),
    after: sides.after ?? now,
    ...(sides.with !== undefined && { with: sides.with }),
  });
  return `${graphAddress(projectId, graphId)}/compare?${query}`;
}

export function mergeAddress(projectId: string, graphId: string, from?: string): string {
  const address = `${graphAddress(projectId, graphId)}/merge`;
  return from === undefined ? address : `${address}?from=${from}`;
}
