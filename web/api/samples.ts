import { queryOptions, useQueryClient } from "@tanstack/react-query";

import type { Sample, SampleName } from "@miranda/contract/schemas/library/samples.ts";

import { patchAccount } from "./account/session.ts";
import { call } from "./http.ts";

export const samplesQuery = queryOptions({
  queryKey: ["samples"],
  queryFn: () => call<Sample[]>("/api/v3/samples"),
});

/** The person's own copy of a sample. It is made when there is none. */
export const openSample = (sample: SampleName): Promise<Sample> =>
  call("/api/v3/samples", { method: "POST", fields: { sample } });

export const sampleAddress = ({ project_id, graph_id }: Pick<Sample, "project_id" | "graph_id">): string =>
  `/designer/projects/${project_id}/graphs/${graph_id}`;

/** From now on no sample is offered and no tour starts by itself, in any browser of this account. */
export function useSampleOpened(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    patchAccount(client, { sample: null });
    await call("/api/v3/samples/opened", { method: "POST" });
  };
}
