import { Readable } from "node:stream";

import { artifacts as limits } from "../../limits.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { systemCodeOf } from "../../platform/errors/error-details.ts";
import type { ContentFiles } from "./content-files.ts";
import type { PartFile, PartFiles } from "./part-files.ts";
import { safely } from "../../platform/errors/safely.ts";

/** A part as a client names it when it has sent them all. */
export interface SentPart {
  number: number;
  tag: string;
}

interface Dependencies {
  parts: PartFiles;
  files: Pick<ContentFiles, "write" | "takeRoom">;
  /** Refuses a path that cannot be stored. Returns how many bytes the project may still store. */
  roomAt: (projectId: string, path: string, bytes: number) => Promise<number>;
  put: (projectId: string, path: string, content: Readable, bytes: number) => Promise<unknown>;
}

export type PartUploads = ReturnType<typeof createPartUploads>;

const wrong = (words: string) => new AppError("artifact_parts_wrong", words);
const gone = () => new AppError("artifact_not_found", "There is no such upload.");

/** Files that come in parts: each part is a request of its own, so a slow connection stores a large file too. */
export function createPartUploads({ parts, files, roomAt, put }: Dependencies) {
  /** A client that lost the answer asks again, and gets the same one. */
  const joining = new Map<string, Promise<void>>();
  /** The bytes of each project that are on their way. */
  const coming = new Map<string, number>();

  async function join(projectId: string, id: string, path: string, sent: readonly SentPart[]): Promise<void> {
    const plan = await parts.plan(projectId, id);
    if (!plan) throw gone();
    if (plan.path !== path) throw wrong(`This upload is for '${plan.path}'.`);
    const closed = await parts.close(projectId, id);
    if (!closed) throw gone();
    try {
      const wanted = chosen(plan.parts, sent, await parts.list(projectId, closed.name));
      const bytes = wanted.reduce((sum, part) => sum + part.bytes, 0);
      const content = Readable.from(parts.content(wanted), { objectMode: false });
      // A refusal stops reading in the middle, with a part still open.
      await put(projectId, path, content, bytes).finally(() => content.destroy());
    } catch (error) {
      await closed.reopen();
      throw error;
    }
    await parts.remove(projectId, closed.name);
  }

  return {
    async begin(projectId: string, path: string, count: number): Promise<string> {
      if (count < 1 || count > limits.partsMax) throw wrong(`A file can have 1 to ${limits.partsMax} parts.`);
      await roomAt(projectId, path, 0);
      const open = await parts.open(projectId);
      const planned = open.reduce((sum, plan) => sum + plan.parts, count);
      // Each part is a file, and all are counted whenever one arrives.
      if (open.length >= limits.uploadsPerProject || planned > limits.partsPerProject)
        throw new AppError("too_many_calls", "Too many files are sent in parts at once.", limits.retrySeconds);
      return parts.begin(projectId, { path, parts: count });
    },

    /** Returns the tag by which the client names the part at the end. */
    async put(projectId: string, id: string, number: number, content: Readable, announced: number): Promise<string> {
      const plan = await parts.plan(projectId, id);
      if (!plan) throw gone();
      if (number < 1 || number > plan.parts) throw wrong(`This upload has the parts 1 to ${plan.parts}.`);
      if (announced < 1) throw wrong("Content-Length has to say how long the part is.");
      const room = await roomAt(projectId, plan.path, announced);
      const others = (await parts.bytes(projectId)) + (coming.get(projectId) ?? 0);
      if (others + announced > room) throw new AppError("artifacts_full");
      const disk = await files.takeRoom(announced);
      const count = (bytes: number) => coming.set(projectId, (coming.get(projectId) ?? 0) + bytes);
      count(announced);
      try {
        const written = await files.write(projectId, content, announced);
        const tag = written.sha256.toString("hex");
        try {
          const { file, older } = await parts.placeFor(projectId, id, { number, bytes: written.bytes, tag });
          await written.moveTo(file);
          for (const one of older) await parts.removeFile(one);
        } catch (error) {
          await written.drop();
          // The upload was given up, or finished, meanwhile.
          throw systemCodeOf(error) === "ENOENT" ? gone() : error;
        }
        return tag;
      } finally {
        count(-announced);
        if (coming.get(projectId) === 0) coming.delete(projectId);
        disk.giveBack();
      }
    },

    /** Makes one file of the parts. Nothing is listed before, and nothing is lost when it fails. */
    async finish(projectId: string, id: string, path: string, sent: readonly SentPart[]): Promise<void> {
      const key = `${projectId} ${id}`;
      const running = joining.get(key);
      if (running) return running;
      const made = join(projectId, id, path, sent);
      joining.set(key, made);
      try {
        await made;
        setTimeout(
          safely(() => joining.delete(key)),
          limits.finishedKnownMs,
        ).unref();
      } catch (error) {
        joining.delete(key);
        throw error;
      }
    },

    drop: async (projectId: string, id: string): Promise<void> => {
      if (await parts.plan(projectId, id)) await parts.remove(projectId, id);
    },
  };
}

/** The files of the parts that a client names, in their order. */
function chosen(count: number, sent: readonly SentPart[], found: readonly PartFile[]): PartFile[] {
  if (sent.length !== count) throw wrong(`This upload has ${count} parts, and ${sent.length} are named.`);
  const tags = new Map(sent.map(({ number, tag }) => [number, tag]));
  const files = new Map(found.map((part) => [`${part.number} ${part.tag}`, part]));
  return Array.from({ length: count }, (_, at) => {
    const number = at + 1;
    const part = files.get(`${number} ${tags.get(number)}`);
    if (!part) throw wrong(`Part ${number} has not arrived as it is named.`);
    return part;
  });
}
