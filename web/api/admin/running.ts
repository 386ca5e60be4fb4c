import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";

import type { AdminMachines } from "@miranda/contract/schemas/admin/machines.ts";
import type { AdminSessionPage, WaitingSessions } from "@miranda/contract/schemas/admin/sessions.ts";

import { refresh } from "../../limits.ts";
import { call } from "../http.ts";

const path = "/api/v3/admin";
const key = (...more: string[]) => ["admin", "running", ...more];

/** Every running session of the installation. The figures follow what is measured. */
export function useAdminSessions(words: string) {
  return useInfiniteQuery({
    queryKey: key("sessions", words),
    queryFn: ({ signal, pageParam }) => {
      const query = new URLSearchParams({ query: words, ...(pageParam !== "" && { after: pageParam }) });
      return call<AdminSessionPage>(`${path}/sessions?${query}`, { signal });
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: refresh.runs,
    refetchOnMount: "always",
  });
}

export function useWaitingSessions() {
  return useQuery({
    queryKey: key("queue"),
    queryFn: ({ signal }) => call<WaitingSessions>(`${path}/queue`, { signal }),
    refetchInterval: refresh.runs,
    refetchOnMount: "always",
  });
}

export function useMachines() {
  return useQuery({
    queryKey: key("machines"),
    queryFn: ({ signal }) => call<AdminMachines>(`${path}/machines`, { signal }),
    refetchInterval: refresh.runs,
    refetchOnMount: "always",
  });
}

export function useRunningActions() {
  const client = useQueryClient();
  async function act(address: string, fields: Record<string, string>): Promise<void> {
    await call(`${path}/${address}`, { method: "POST", fields });
    await client.invalidateQueries({ queryKey: key() });
  }
  const machine = (id: string, what: string) => `machines/${encodeURIComponent(id)}/${what}`;
  return {
    stop: (id: string, reason: string) => act(`sessions/${id}/stop`, { reason }),
    removeFromQueue: (id: string, reason: string) => act(`queue/${id}/remove`, { reason }),
    closeMachine: (id: string, note: string) => act(machine(id, "close"), { note }),
    openMachine: (id: string) => act(machine(id, "open"), {}),
  };
}
