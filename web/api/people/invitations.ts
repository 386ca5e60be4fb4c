import { useQuery, useQueryClient } from "@tanstack/react-query";

import type {
  AcceptedInvitation,
  InvitationList,
  NewInvitation,
  OpenedInvitation,
} from "@miranda/contract/schemas/people/invitations.ts";
import type { MemberRole } from "@miranda/contract/schemas/members.ts";

import { call } from "../http.ts";
import { projectKeys } from "../projects.ts";

/** Of a project, or without one of the installation. */
const addressOf = (projectId: string | null) =>
  projectId === null ? "/api/v3/admin/invitations" : `/api/v3/projects/${projectId}/invitations`;

const keyOf = (projectId: string | null) => ["invitations", "of", projectId ?? "installation"] as const;

export function useInvitations(projectId: string | null) {
  return useQuery({
    queryKey: keyOf(projectId),
    queryFn: ({ signal }) => call<InvitationList>(addressOf(projectId), { signal }),
  });
}

export function useInvitationCalls(projectId: string | null) {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: keyOf(projectId) });
  return {
    async create(fields: { email: string; role?: MemberRole }): Promise<NewInvitation> {
      const made = await call<NewInvitation>(addressOf(projectId), { method: "POST", fields });
      // Not awaited: the link is shown only once, and must not get lost because the list failed to load.
      void refresh().catch(() => undefined);
      return made;
    },
    async withdraw(id: string): Promise<void> {
      await call(`/api/v3/invitations/${id}`, { method: "DELETE" });
      await refresh();
    },
  };
}

/** What somebody sees who has the link. The token is in the body: addresses are logged. */
export function useOpenedInvitation(token: string) {
  return useQuery({
    queryKey: ["invitations", "open", token],
    queryFn: ({ signal }) =>
      call<OpenedInvitation>("/api/v3/invitations/open", { method: "POST", fields: { token }, signal }),
    enabled: token !== "",
    retry: false,
    refetchInterval: false,
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
}

export function useAcceptInvitation() {
  const client = useQueryClient();
  return async (token: string): Promise<AcceptedInvitation> => {
    const accepted = await call<AcceptedInvitation>("/api/v3/invitations/accept", {
      method: "POST",
      fields: { token },
    });
    await client.invalidateQueries({ queryKey: projectKeys.lists });
    return accepted;
  };
}
