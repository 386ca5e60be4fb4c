import { workflowFiles as limits } from "@miranda/contract/limits.ts";

import { AppError } from "../../../platform/errors/app-error.ts";
import { tomlName } from "./workflow-toml.ts";

/** The files below the folder that holds `workflow.toml`: programs that zip a folder put it around the files. */
export function insideTopFolder(files: ReadonlyMap<string, Buffer>): Map<string, Buffer> {
  const found = [...files.keys()].filter((path) => path === tomlName || path.endsWith(`/${tomlName}`));
  const [first, ...others] = found.filter((path) => !path.startsWith("__MACOSX/"));
  if (first === undefined)
    throw new AppError("workflow_files_invalid", `There is no ${tomlName} in this zip. Nothing was imported.`);
  if (others.length > 0)
    throw new AppError(
      "workflow_files_invalid",
      `This zip has several workflows: ${first} and ${others[0]}. Import one at a time.`,
    );
  // Before a thread gets a copy of it.
  if ((files.get(first)?.length ?? 0) > limits.tomlMax) throw new AppError("workflow_files_too_large");
  const folder = first.slice(0, -tomlName.length);
  return new Map(
    [...files].flatMap(([path, data]) => (path.startsWith(folder) ? [[path.slice(folder.length), data]] : [])),
  );
}
