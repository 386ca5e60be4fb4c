import type { NewInvitation } from "@miranda/contract/schemas/people/invitations.ts";
import type { Team } from "@miranda/contract/schemas/people/teams.ts";

import type { Answer, TestClient } from "../test-client.ts";
import { password, type TestServer } from "../test-server.ts";

/** A team of the client's with people, by username. */
export async function buildTeam(
  owner: TestClient,
  name: string,
  people: Record<string, "manager" | "member">,
): Promise<string> {
  const { id } = (await owner.post("/api/v3/teams", { name })).json<Team>();
  for (const [user, role] of Object.entries(people)) await owner.post(`/api/v3/teams/${id}/members`, { user, role });
  return id;
}

/** The secret part of a new invitation to a project. */
export async function inviteTo(
  owner: TestClient,
  projectId: string,
  { role = "editor", email = "" }: { role?: "viewer" | "editor"; email?: string } = {},
): Promise<{ token: string; id: string }> {
  const made = await owner.post(`/api/v3/projects/${projectId}/invitations`, { role, email });
  if (made.status !== 200) throw new Error(`invite: ${made.text}`);
  const { path, invitation } = made.json<NewInvitation>();
  return { token: path.split("/").at(-1) ?? "", id: invitation.id };
}

/** Registers with an invitation. The client is signed in when it is let in. */
export function registerInvited(
  server: TestServer,
  name: string,
  invitation: string,
  email = `${name}@example.org`,
): { client: TestClient; answer: Promise<Answer> } {
  const client = server.anonymous();
  const body = { username: name, email, first_name: name, last_name: "Tester", password, invitation };
  return { client, answer: client.post("/api/v3/auth/register", body) };
}
