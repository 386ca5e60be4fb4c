import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

/** Where a running container is looked at: on the host that serves processors, or in Miranda where there is none. */
export function containerAddress(
  { id, container_id }: Pick<JobSummary, "id" | "container_id">,
  projectMetadataId: number,
  host: string | null,
): string {
  const address = new URL(host ?? `${location.origin}/designer/processors/${encodeURIComponent(id)}`);
  address.searchParams.set("container_id", container_id ?? "");
  address.searchParams.set("metadata_id", String(projectMetadataId));
  return address.href;
}
