import { useQuery, useQueryClient } from "@tanstack/react-query";

import type { MemberRole } from "@miranda/contract/schemas/members.ts";
import type {
  AddTeamPersonBody,
  ProjectTeamList,
  Team,
  TeamDetails,
  TeamList,
  TeamRole,
} from "@miranda/contract/schemas/people/teams.ts";

import { call } from "../http.ts";
import { projectKeys } from "../projects.ts";

const keys = {
  list: ["teams", "list"],
  one: (id: string) => ["teams", "one", id],
  ofProject: (id: string) => [...projectKeys.members(id), "teams"],
} as const;

/** The teams that this account is in. */
export function useTeams() {
  return useQuery({ queryKey: keys.list, queryFn: ({ signal }) => call<TeamList>("/api/v3/teams", { signal }) });
}

export function useTeam(id: string) {
  return useQuery({
    queryKey: keys.one(id),
    queryFn: ({ signal }) => call<TeamDetails>(`/api/v3/teams/${id}`, { signal }),
  });
}

export function useProjectTeams(projectId: string) {
  return useQuery({
    queryKey: keys.ofProject(projectId),
    queryFn: ({ signal }) => call<ProjectTeamList>(`/api/v3/projects/${projectId}/teams`, { signal }),
  });
}

export function useTeamCalls() {
  const client = useQueryClient();
  async function refresh(id: string): Promise<void> {
    await Promise.all([
      client.invalidateQueries({ queryKey: keys.list }),
      client.invalidateQueries({ queryKey: keys.one(id) }),
      client.invalidateQueries({ queryKey: projectKeys.lists }),
    ]);
  }
  const send = async (id: string, rest: string, options: Parameters<typeof call>[1]) => {
    await call(`/api/v3/teams/${id}${rest}`, options);
    await refresh(id);
  };
  return {
    async create(name: string): Promise<Team> {
      const team = await call<Team>("/api/v3/teams", { method: "POST", fields: { name } });
      await client.invalidateQueries({ queryKey: keys.list });
      return team;
    },
    rename: (id: string, name: string) => send(id, "", { method: "PATCH", fields: { name } }),
    addPerson: (id: string, fields: AddTeamPersonBody) => send(id, "/members", { method: "POST", fields }),
    changeRole: (id: string, person: string, role: TeamRole) =>
      send(id, `/members/${person}`, { method: "PATCH", fields: { role } }),
    removePerson: (id: string, person: string) => send(id, `/members/${person}`, { method: "DELETE" }),
    /** Not fetched again: it is gone, and its page may still be open for a moment. */
    async leave(id: string, person: string): Promise<void> {
      await call(`/api/v3/teams/${id}/members/${person}`, { method: "DELETE" });
      client.removeQueries({ queryKey: keys.one(id) });
      await client.invalidateQueries({ queryKey: keys.list });
    },
    async remove(id: string): Promise<void> {
      await call(`/api/v3/teams/${id}`, { method: "DELETE" });
      client.removeQueries({ queryKey: keys.one(id) });
      await client.invalidateQueries({ queryKey: keys.list });
    },
  };
}

export function useProjectTeamCalls(projectId: string) {
  const client = useQueryClient();
  const address = `/api/v3/projects/${projectId}/teams`;
  const then = async (answer: Promise<unknown>) => {
    await answer;
    await client.invalidateQueries({ queryKey: keys.ofProject(projectId) });
  };
  return {
    add: (team: string, role: MemberRole) => then(call(address, { method: "POST", fields: { team, role } })),
    change: (team: string, role: MemberRole) => then(call(`${address}/${team}`, { method: "PATCH", fields: { role } })),
    remove: (team: string) => then(call(`${address}/${team}`, { method: "DELETE" })),
  };
}
