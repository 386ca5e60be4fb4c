import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

// Some programs are in administrators' folders, which are not on everybody's PATH.
const more = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"];

/** Where a program is, if this machine has it. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter).filter(Boolean), ...more];
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
