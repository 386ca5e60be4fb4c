import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

/** The address of a running container: on the processor host, or in Miranda when there is none. */
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
