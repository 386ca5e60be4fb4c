import { useQueryClient } from "@tanstack/react-query";

import type { AddMemberBody, MemberRole, ProjectMember } from "@miranda/contract/schemas/members.ts";

import type { TransferAnswer } from "@miranda/contract/schemas/people/transfers.ts";

import { call } from "./http.ts";
import { changePages, usePages } from "./pages.ts";
import { projectKeys } from "./projects.ts";

/** The members whose names contain the text, by username. */
export function useProjectMembers(projectId: string, query: string) {
  return usePages<ProjectMember>({
    key: [...projectKeys.members(projectId), query],
    path: `/api/v3/projects/${projectId}/members`,
    parameters: query ? { query } : {},
    keyOf: ({ username }) => ({ after: username }),
  });
}

export function useMemberCalls(projectId: string) {
  const client = useQueryClient();
  const address = `/api/v3/projects/${projectId}`;
  const membersKey = projectKeys.members(projectId);
  const changeMembers = (change: (members: ProjectMember[]) => ProjectMember[]) =>
    changePages(client, membersKey, change);

  async function refreshAccess(): Promise<void> {
    await Promise.all([
      client.invalidateQueries({ queryKey: membersKey }),
      client.invalidateQueries({ queryKey: projectKeys.details(projectId) }),
      client.invalidateQueries({ queryKey: projectKeys.lists }),
    ]);
  }

  return {
    async add(fields: AddMemberBody): Promise<void> {
      await call(`${address}/members?limit=1`, { method: "POST", fields });
      await client.invalidateQueries({ queryKey: membersKey });
    },
    async changeRole(memberId: string, role: MemberRole): Promise<void> {
      await call(`${address}/members/${memberId}`, { method: "PATCH", fields: { role } });
      changeMembers((members) => members.map((member) => (member.id === memberId ? { ...member, role } : member)));
    },
    async remove(memberId: string): Promise<void> {
      await call(`${address}/members/${memberId}`, { method: "DELETE" });
      changeMembers((members) => members.filter(({ id }) => id !== memberId));
    },
    /** The list of members is gone with the project, so nothing is changed in it. */
    async leave(memberId: string): Promise<void> {
      await call(`${address}/members/${memberId}`, { method: "DELETE" });
    },
    /** Call it when this account's rights in the project have changed. */
    refreshAccess,
    /** An owner offers the project. Only an administrator transfers it at once. */
    async transfer(username: string): Promise<TransferAnswer["state"]> {
      const fields = { user: username };
      const { state } = await call<TransferAnswer>(`${address}/transfer`, { method: "POST", fields });
      await refreshAccess();
      return state;
    },
  };
}
