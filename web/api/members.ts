import { useQuery, useQueryClient } from "@tanstack/react-query";

import type { AddMemberBody, MemberRole, ProjectMember } from "@miranda/contract/schemas/members.ts";

import { call } from "./http.ts";
import { projectKeys } from "./projects.ts";

export function useProjectMembers(projectId: string) {
  return useQuery({
    queryKey: projectKeys.members(projectId),
    queryFn: ({ signal }) => call<ProjectMember[]>(`/api/v3/projects/${projectId}/members`, { signal }),
  });
}

export function useMemberCalls(projectId: string) {
  const client = useQueryClient();
  const address = `/api/v3/projects/${projectId}`;
  const membersKey = projectKeys.members(projectId);

  async function refreshAccess(): Promise<void> {
    await Promise.all([
      client.invalidateQueries({ queryKey: membersKey }),
      client.invalidateQueries({ queryKey: projectKeys.details(projectId) }),
      client.invalidateQueries({ queryKey: projectKeys.lists }),
    ]);
  }

  return {
    async add(fields: AddMemberBody): Promise<void> {
      const members = await call<ProjectMember[]>(`${address}/members`, { method: "POST", fields });
      client.setQueryData(membersKey, members);
    },
    async changeRole(memberId: string, role: MemberRole): Promise<void> {
      await call(`${address}/members/${memberId}`, { method: "PATCH", fields: { role } });
      client.setQueryData<ProjectMember[]>(membersKey, (members) =>
        members?.map((member) => (member.id === memberId ? { ...member, role } : member)),
      );
    },
    async remove(memberId: string): Promise<void> {
      await call(`${address}/members/${memberId}`, { method: "DELETE" });
      client.setQueryData<ProjectMember[]>(membersKey, (members) => members?.filter(({ id }) => id !== memberId));
    },
    /** Call it when this account's rights in the project have changed. */
    refreshAccess,
    async transfer(username: string): Promise<void> {
      await call(`${address}/transfer`, { method: "POST", fields: { user: username } });
      await refreshAccess();
    },
  };
}
