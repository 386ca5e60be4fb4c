import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { isRecord } from "../../../is-record.ts";

/** What a policy grants, in one line. */
export function policySummary({ class: nodeClass, body }: Pick<Node, "class" | "body">): string {
  if (!isRecord(body)) return "";
  if (nodeClass === "compute_policy") {
    const { cpu, ram_gb, gpu } = body;
    return [amountOf(cpu, "core", "cores"), amountOf(ram_gb, "GB", "GB"), amountOf(gpu, "GPU", "GPUs")]
      .filter(Boolean)
      .join(" · ");
  }
  const { type, name, bucket, prefix } = body;
  if (type !== "s3") return `Volume ${type === "volume" && typeof name === "string" ? name : ""}`;
  return `S3 bucket ${[bucket, prefix].filter(Boolean).join("/")}`;
}

function amountOf(value: unknown, one: string, many: string): string {
  return typeof value === "number" && value !== 0 ? `${value} ${value === 1 ? one : many}` : "";
}
