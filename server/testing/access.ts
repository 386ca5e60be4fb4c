import { readFileSync } from "node:fs";

import type { TestAccount, TestServer } from "./test-server.ts";
import type { TestClient } from "./test-client.ts";

/** The columns of the access table: everybody who can meet a project. */
export interface Cast {
  admin: TestAccount;
  owner: TestAccount;
  editor: TestAccount;
  viewer: TestAccount;
  stranger: TestAccount;
  anonymous: TestClient;
}

export type Role = keyof Cast;

/** In the order of the columns of the access tables. */
export const roles: readonly Role[] = ["anonymous", "stranger", "viewer", "editor", "owner", "admin"];

/** Every cell of an access table of docs/spec: the attempt, who tries it, and the status of the answer. */
export function readCells<Column extends string>(table: string, columns: readonly Column[]) {
  const file = new URL(`../../docs/spec/access-${table}.tsv`, import.meta.url);
  const [, ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.flatMap((line) => {
    const [resource = "", operation = "", ...words] = line.split("\t");
    return columns.map((column, at) => [`${resource}: ${operation}`, column, Number(words[at])] as const);
  });
}

/** The first account of a server is its admin, so a test file calls this before anything else on its server. */
export async function signUpCast(server: TestServer): Promise<Cast> {
  return {
    admin: await server.signUp("admin"),
    owner: await server.signUp("owner"),
    editor: await server.signUp("editor"),
    viewer: await server.signUp("viewer"),
    stranger: await server.signUp("stranger"),
    anonymous: server.anonymous(),
  };
}

/** A private project with an editor and a viewer, so that a stranger is one. */
export async function buildProject(cast: Cast, name = "Tides"): Promise<{ id: string; metadata_id: number }> {
  const project = (await cast.owner.post("/api/v3/projects/", { name, description: "About water." })).json<{
    id: string;
    metadata_id: number;
  }>();
  await cast.owner.patch(`/api/v3/projects/${project.id}`, { visibility: "private" });
  await cast.owner.post(`/api/v3/projects/${project.id}/members`, { user: "editor", role: "editor" });
  await cast.owner.post(`/api/v3/projects/${project.id}/members`, { user: "viewer", role: "viewer" });
  return project;
}

export async function buildGraph(cast: Cast, projectId: string, name = "Flow"): Promise<string> {
  const answer = await cast.owner.post("/api/v3/graphs/", { name, description: "A flow.", project_id: projectId });
  return answer.json<{ id: string }>().id;
}
