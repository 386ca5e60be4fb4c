import { artifactBuckets as limits } from "../../../limits.ts";
import type { BucketClient, FinishedPart } from "./bucket-client.ts";
import { BucketProblem } from "./bucket-problem.ts";

interface UploadRequest {
  client: BucketClient;
  object: string;
  /** The file that is still being written. */
  path: string;
  /** How many bytes it will have. 0: not known. */
  announced: number;
  /** Called with the id of the upload, and again after each part. Null: right before a file of one part is sent. */
  onPart: (uploadId: string | null) => Promise<void>;
}

export type BucketUpload = ReturnType<typeof uploadTo>;

/** Sends a file to a bucket while it is still being written, so that little is left to send at its end. */
export function uploadTo({ client, object, path, announced, onPart }: UploadRequest) {
  const partBytes = Math.max(limits.partBytes, Math.ceil(announced / limits.partsMax));
  const finished: FinishedPart[] = [];
  let uploadId: Promise<string> | undefined;
  let planned = 0;
  let failure: unknown;
  const sending = new Set<Promise<void>>();
  let written = 0;

  async function sendPart(number: number, bytes: number): Promise<void> {
    uploadId ??= client.beginParts(object).then(async (id) => {
      await onPart(id);
      return id;
    });
    const id = await uploadId;
    finished.push(await client.putPart(object, id, number, { path, start: (number - 1) * partBytes, bytes }));
    await onPart(id);
  }

  /** Starts as many parts as may be sent at the same time. */
  function advance(): void {
    while (failure === undefined && sending.size < limits.partsAtOnce && written - planned * partBytes >= partBytes)
      begin(partBytes);
  }

  function begin(bytes: number): void {
    planned += 1;
    if (planned > limits.partsMax + 1) {
      failure ??= new BucketProblem("The file is too long for a bucket, because its length was not announced.");
      return;
    }
    const one: Promise<void> = sendPart(planned, bytes)
      .catch((error: unknown) => void (failure ??= error))
      .finally(() => {
        sending.delete(one);
        advance();
      });
    sending.add(one);
  }

  async function settle(): Promise<void> {
    while (sending.size > 0) await Promise.all(sending);
    if (failure !== undefined) throw failure;
  }

  return {
    object,

    /** Tells how many bytes are in the file now. */
    written(bytes: number): void {
      written = bytes;
      // A file that fits into one part is sent in one request at its end.
      if (written > partBytes) advance();
    },

    /** Sends the rest. Then the object is complete. */
    async end(bytes: number): Promise<void> {
      if (bytes <= partBytes) {
        await onPart(null);
        return client.put(object, { path, start: 0, bytes });
      }
      written = bytes;
      advance();
      await settle();
      const rest = bytes - planned * partBytes;
      if (rest > 0) begin(rest);
      await settle();
      const parts = finished.toSorted((one, other) => one.number - other.number);
      try {
        await client.endParts(object, (await uploadId) ?? "", parts);
      } catch (error) {
        // The call may have succeeded although its answer was lost.
        if ((await client.size(object).catch(() => undefined)) !== bytes) throw error;
      }
      if ((await client.size(object)) !== bytes) throw new BucketProblem("The bucket did not store the whole file.");
    },

    /** Removes everything that was sent to the bucket. */
    async drop(): Promise<void> {
      failure ??= new BucketProblem("The upload was given up.");
      await settle().catch(() => undefined);
      const id = await uploadId?.catch(() => undefined);
      if (id !== undefined) await client.dropParts(object, id);
      await client.remove(object);
    },
  };
}
