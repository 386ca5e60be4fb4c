import { inputsSchema } from "@miranda/contract/call-docs/field-schema.ts";
import { bytesText } from "@miranda/contract/call-inputs/files.ts";
import type { Call } from "@miranda/contract/schemas/deployments/calls.ts";

import { mcp as limits } from "./mcp-limits.ts";
import type { Db } from "../../platform/database/database.ts";
import { storableText } from "../../platform/database/storable-json.ts";
import type { CallApi } from "../call-api/call-api-service.ts";
import { imageIn } from "../call-api/output-files.ts";
import type { Calls } from "../calls/calls-service.ts";
import type { Who } from "../deployments/deployments-service.ts";
import { mcpQueries, type ToolRow } from "./mcp-queries.ts";

export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: "object" } & Record<string, unknown>;
  annotations: { title: string; readOnlyHint: boolean; openWorldHint: boolean };
}

type Content = { type: "text"; text: string } | { type: "image"; data: string; mimeType: string };

/** What a call of a tool answers. */
export interface ToolResult {
  content: Content[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  [key: string]: unknown;
}

export interface Progress {
  progress: number;
  total?: number;
  message: string;
}

interface Dependencies {
  db: Db;
  api: CallApi;
  calls: Pick<Calls, "changed">;
}

export type Mcp = ReturnType<typeof createMcp>;

/** Deployments as tools of an assistant. */
export function createMcp({ db, api, calls }: Dependencies) {
  const queries = mcpQueries(db);

  return {
    async list(who: Who, cursor: string | undefined): Promise<{ tools: Tool[]; nextCursor?: string }> {
      const rows = await queries.tools(
        who,
        storableText(cursor?.slice(0, limits.cursorMax) ?? ""),
        limits.toolsPerPage + 1,
      );
      const shown = rows.slice(0, limits.toolsPerPage);
      const last = rows.length > shown.length ? shown.at(-1) : undefined;
      return { tools: shown.map(toTool), ...(last && { nextCursor: last.name }) };
    },

    /** Makes a call and waits for its end. When the assistant leaves, the call goes on. */
    async call(
      who: Who,
      name: string,
      given: Record<string, unknown>,
      { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: Progress) => Promise<void> },
    ): Promise<ToolResult> {
      const used = await api.forUse(who, name, "production");
      const { id } = await api.make(who, used, { values: given, source: "json" }, { via: "mcp" });
      const until = Date.now() + limits.waitMs;
      let [told, toldAt, steps] = ["", Date.now(), 0];
      for (;;) {
        const { row, viewer } = await api.getCall(who, name, id);
        if (row.ended_at !== null || signal.aborted || Date.now() > until)
          return toResult(await api.describe(row, viewer));
        const outline = await api.outline(row, viewer);
        const words = progressWords(outline);
        // Assistants give up when they hear nothing for a while.
        if (words !== told || Date.now() - toldAt > limits.progressEveryMs) {
          [told, toldAt, steps] = [words, Date.now(), steps + 1];
          await onProgress({ progress: steps, message: words });
        }
        await calls.changed(id, limits.lookEveryMs);
      }
    },
  };
}

function toTool({ name, title, description, form }: ToolRow): Tool {
  const shows = form.outputs.map(({ label }) => label).join(", ");
  const text = [title, description.slice(0, limits.descriptionMax), shows && `Answers with: ${shows}.`];
  return {
    name,
    title,
    description: text.filter(Boolean).join("\n\n"),
    inputSchema: { ...inputsSchema(form.fields, "text"), type: "object" },
    annotations: { title, readOnlyHint: false, openWorldHint: true },
  };
}

function progressWords({ state, position, steps }: Call): string {
  if (state === "queued") return position ? `Waiting. Calls ahead: ${position}.` : "Waiting for a processor.";
  const running = steps.find((step) => step.state === "running");
  const done = steps.filter((step) => step.state === "done").length;
  if (!running) return steps.length > 0 ? `${done} of ${steps.length} steps are done.` : "Running.";
  const bar = running.progress;
  const part = bar ? ` ${bar.total === null ? `(${bar.done})` : `(${bar.done} of ${bar.total})`}` : "";
  return `${running.label}${part}`;
}

function toResult(call: Call): ToolResult {
  const { state, reason, result, outputs } = call;
  if (call.time_ended === null)
    return {
      content: [text(`It is still running. Its result will be at /explorer/apps/${call.app.name}/runs/${call.id}.`)],
    };
  if (state !== "done") return { content: [text(reason || `It is ${state}.`)], isError: true };
  const content: Content[] = [];
  let room: number = limits.imagesBytes;
  for (const { label, data, file, name } of outputs) {
    const image = imageIn(data);
    if (image && image.base64.length <= room) {
      room -= image.base64.length;
      content.push(text(`${label}:`), { type: "image", data: image.base64, mimeType: image.type });
    } else if (file) content.push(text(`${label}: the file ${file.name} (${bytesText(file.size)}).`));
    else content.push(text(`${label}: ${valueText(data, result[name])}`));
  }
  if (content.length === 0) content.push(text("Done."));
  return { content, structuredContent: result };
}

function valueText(data: Record<string, unknown>, value: unknown): string {
  const plain = data["text/markdown"] ?? data["text/plain"];
  const shown = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const given = Object.hasOwn(data, "application/json") || typeof plain !== "string" ? shown : plain;
  return given.length > limits.textMax ? `${given.slice(0, limits.textMax)} …` : given;
}

function text(words: string): Content {
  return { type: "text", text: words };
}
