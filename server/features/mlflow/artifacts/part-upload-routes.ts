import type { FastifyRequest } from "fastify";
import { z } from "zod";

import type { PartUploads } from "../../artifacts/part-uploads.ts";
import { within } from "../../artifacts/artifact-paths.ts";
import { Int64 } from "../http/mlflow-inputs.ts";
import type { MlflowScope } from "../http/mlflow-scope.ts";

const base = "/api/2.0/mlflow-artifacts/mpu";
/** 10,000 parts, each with its address. */
const bodyLimit = 8 * 1024 * 1024;

/** The folder is in the address. In the body is the path of the file where it comes from, often one of Windows. */
const File = z.object({ "*": z.string(), path: z.string() });
const Upload = File.extend({ upload_id: z.string() });
const Parts = z.array(z.object({ part_number: Int64, etag: z.string() }));

const placeOf = ({ "*": folder, path }: z.infer<typeof File>): string =>
  within(folder.replace(/\/$/, ""), path.split(/[\\/]/).at(-1) ?? "");

/** Uploads in parts: where they begin and end. The parts themselves go to the proxy. */
export function partUploadRoutes(mlflow: MlflowScope, uploads: PartUploads, publicUrl: string | undefined): void {
  mlflow.add("POST", `${base}/create/*`, {
    right: "write",
    input: File.extend({ num_parts: Int64 }),
    answer: async ({ request, projectId, input }) => {
      const upload_id = await uploads.begin(projectId, placeOf(input), input.num_parts);
      const address = `${originOf(request, publicUrl)}/mlflow/${projectId}${base}/parts/${upload_id}`;
      // Clients send parts without their token, and with these headers.
      const headers = { Authorization: request.headers.authorization ?? "" };
      const numbers = Array.from({ length: input.num_parts }, (_, at) => at + 1);
      return {
        upload_id,
        credentials: numbers.map((part) => ({ url: `${address}/${part}`, part_number: part, headers })),
      };
    },
  });

  mlflow.add("POST", `${base}/complete/*`, {
    right: "write",
    input: Upload.extend({ parts: Parts }),
    bodyLimit,
    answer: async ({ projectId, input }) => {
      const sent = input.parts.map(({ part_number, etag }) => ({ number: part_number, tag: etag.replaceAll('"', "") }));
      await uploads.finish(projectId, input.upload_id, placeOf(input), sent);
    },
  });

  mlflow.add("POST", `${base}/abort/*`, {
    right: "write",
    input: Upload,
    answer: ({ projectId, input }) => uploads.drop(projectId, input.upload_id),
  });
}

/** The address by which the client reached us. A proxy in front may have ended the encryption. */
function originOf(request: FastifyRequest, publicUrl: string | undefined): string {
  const known = publicUrl === undefined ? undefined : new URL(publicUrl);
  return known?.host === request.host ? known.origin : `${request.protocol}://${request.host}`;
}
