import { PositionEncoding, Workspace } from "@astral-sh/ruff-wasm-nodejs";
import { parentPort, workerData } from "node:worker_threads";

import type { FormatRequest } from "./formatting.ts";

// Ruff's formatter as WebAssembly: it sees the text and nothing else.
const { code, indent }: FormatRequest = workerData;
const format = { "indent-style": indent === "tab" ? "tab" : "space" };
const settings = { format, ...(indent !== "tab" && { "indent-width": indent }) };
try {
  parentPort?.postMessage({ text: new Workspace(settings, PositionEncoding.Utf16).format(code) }, []);
} catch (error) {
  parentPort?.postMessage({ error: String(error instanceof Error ? error.message : error) }, []);
}
