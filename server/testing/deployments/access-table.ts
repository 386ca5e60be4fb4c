import { readFileSync } from "node:fs";

import type { Role } from "../access.ts";

/** One cell of docs/spec/access-deployments.tsv. */
export interface AccessCell {
  resource: string;
  operation: string;
  role: Role;
  /** The status that the cell begins with. Every success is 200, and what the socket refuses is 404. */
  status: number;
}

const roles: readonly Role[] = ["anonymous", "stranger", "viewer", "editor", "owner", "admin"];
const file = new URL("../../../docs/spec/access-deployments.tsv", import.meta.url);

/** The cells of some resources. Cells with a dash say nothing. */
export function accessCells(isWanted: (resource: string) => boolean): AccessCell[] {
  const [, ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.flatMap((line) => {
    const [resource = "", operation = "", ...cells] = line.split("\t");
    if (!isWanted(resource)) return [];
    return roles.flatMap((role, at) => {
      const words = cells[at] ?? "";
      if (words === "–") return [];
      return { resource, operation, role, status: words.startsWith("refused") ? 404 : Number.parseInt(words, 10) };
    });
  });
}

/** The status of an answer as the table writes it. */
export function statusInTable(status: number): number {
  return status >= 200 && status < 300 ? 200 : status;
}
