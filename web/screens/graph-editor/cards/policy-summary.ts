import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { ComputePolicy, StoragePolicy } from "@miranda/contract/schemas/policies.ts";

/** What a policy grants, in one line. */
export function policySummary({ class: nodeClass, body }: Pick<Node, "class" | "body">): string {
  if (typeof body !== "object" || body === null) return "";
  if (nodeClass === "compute_policy") {
    const { cpu, ram_gb, gpu } = body as Partial<ComputePolicy>;
    const gpus = gpu ? `${gpu} ${gpu === 1 ? "GPU" : "GPUs"}` : "";
    return [cpu ? `${cpu} ${cpu === 1 ? "core" : "cores"}` : "", ram_gb ? `${ram_gb} GB` : "", gpus]
      .filter(Boolean)
      .join(" · ");
  }
  const storage = body as Partial<StoragePolicy>;
  if (storage.type !== "s3") return `Volume ${storage.type === "volume" ? storage.name : ""}`;
  return `S3 bucket ${[storage.bucket, storage.prefix].filter(Boolean).join("/")}`;
}
