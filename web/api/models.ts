import { useQuery } from "@tanstack/react-query";

import type { ModelsResponse } from "@miranda/contract/schemas/models.ts";

import { call } from "./http.ts";

export function useModels() {
  return useQuery({
    queryKey: ["models"],
    queryFn: ({ signal }) => call<ModelsResponse>("/api/v3/models/", { signal }),
    select: ({ json }) => json,
  });
}
