import { useQuery } from "@tanstack/react-query";

import type { Announcement } from "@miranda/contract/schemas/admin.ts";

import { refresh } from "../../limits.ts";
import { call } from "../http.ts";

/** What administrators tell everybody. Empty while there is nothing. */
export function useAnnouncement(): string {
  const { data } = useQuery({
    queryKey: ["announcement"],
    queryFn: ({ signal }) => call<Announcement>("/api/v3/announcement", { signal }),
    refetchInterval: refresh.jobsList,
  });
  return data?.text ?? "";
}
