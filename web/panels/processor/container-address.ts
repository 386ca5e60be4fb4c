import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

/** Where a running container is looked at: on the host that serves processors, which is the one that serves Miranda. */
export function containerAddress(
  { id, container_id }: Pick<JobSummary, "id" | "container_id">,
  projectMetadataId: number,
  host: string = location.origin,
): string {
  const parameters = new URLSearchParams({
    container_id: container_id ?? "",
    metadata_id: String(projectMetadataId),
  });
  return `${host}/designer/processors/${encodeURIComponent(id)}?${parameters}`;
}
