import { saveFile } from "../../ui/output/save-file.ts";

/** Where the files of a call are. */
export interface OutputFiles {
  address: (part: string) => string;
  /** Fetches a file that a plain link cannot: the way to it needs a header. */
  fetch?: (address: string) => Promise<Blob>;
}

export async function saveFrom(files: OutputFiles, address: string, name: string): Promise<void> {
  if (files.fetch) saveFile(name, await files.fetch(address));
}
