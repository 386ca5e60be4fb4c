import { GraphmlError } from "./graphml/parse/graphml-error.ts";
import { imports } from "../../limits.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import type { ImportedRows } from "./graph-import-rows.ts";
import { importInWorker } from "./graphml/worker/call-worker.ts";
import { isLarge } from "./imports/import-queue.ts";

/** A GraphML file as rows for the database, or a refusal that says what is wrong with it and where. */
export async function readGraphml(file: Uint8Array, top: number): Promise<ImportedRows> {
  try {
    const { largeMemoryMb, smallMemoryMb } = imports;
    return await importInWorker(file, { top, memoryLimitMb: isLarge(file.byteLength) ? largeMemoryMb : smallMemoryMb });
  } catch (error) {
    if (error instanceof GraphmlError) throw new AppError("graphml_invalid", error.message);
    throw error;
  }
}
