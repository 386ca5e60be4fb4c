import { errors } from "@miranda/contract/errors.ts";
import { messages } from "@miranda/contract/words/messages.ts";
import { workflowFiles as limits } from "@miranda/contract/limits.ts";

/** A folder of files that a person chose, in a zip. */
export interface ChosenZip {
  /** Another one for every choice: a file of the same name may have other content. */
  id: number;
  file: File;
}

let count = 0;
let dropped: { graphId: string; zip: ChosenZip } | undefined;

/** Reads the file at once. Otherwise it could change on the disk between what the person sees and what is merged. */
export async function readZip(file: File): Promise<ChosenZip> {
  if (!file.name.toLowerCase().endsWith(".zip")) throw new Error(messages.noZip);
  if (file.size > limits.zipMax) throw new Error(errors.workflow_files_too_large);
  count += 1;
  return { id: count, file: new File([await file.arrayBuffer()], file.name) };
}

/** Keeps a zip that was dropped on the canvas for the screen that merges it. */
export function keepDropped(graphId: string, zip: ChosenZip): void {
  dropped = { graphId, zip };
}

export function findDropped(graphId: string): ChosenZip | undefined {
  return dropped?.graphId === graphId ? dropped.zip : undefined;
}

export function forgetDropped(): void {
  dropped = undefined;
}
