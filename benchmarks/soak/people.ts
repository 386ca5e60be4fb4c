import { setTimeout as sleep } from "node:timers/promises";
import * as Y from "yjs";

import { SharedCode } from "../../server/testing/shared-code.ts";
import { TestClient } from "../../server/testing/test-client.ts";
import { password, type TestAccount, type TestServer } from "../../server/testing/test-server.ts";
import { connect } from "../../server/testing/test-socket.ts";
import { giveToken } from "../../server/testing/workbench.ts";

/** Some people who work on one project. The first one owns it. */
export interface Team {
  people: TestAccount[];
  projectId: string;
  /** The workflow that runs. */
  graphId: string;
  /** The workflow that everybody edits. */
  sharedId: string;
  /** A node in it, in whose code everybody types. */
  typedNode: number;
}

interface Made {
  metadata_id: number;
}

async function must<Answer>(answer: Promise<{ status: number; text: string; json<T>(): T }>): Promise<Answer> {
  const { status, text, json } = await answer;
  if (status !== 200) throw new Error(text);
  return json<Answer>();
}

async function register(url: string, username: string): Promise<TestAccount> {
  const client = new TestClient(url);
  const body = { username, email: `${username}@example.org`, first_name: username, last_name: "Soak", password };
  const { account } = await must<Pick<TestAccount, "account">>(client.post("/api/v3/auth/register", body));
  await client.post("/api/v3/auth/onboarding", {});
  return Object.assign(client, { account });
}

export async function makeTeam(url: string, name: string, size: number, source: string): Promise<Team> {
  const people = await Promise.all(Array.from({ length: size }, (_, at) => register(url, `${name}${at}`)));
  const [owner, ...others] = people;
  if (!owner) throw new Error("A team has at least one person.");
  await giveToken(owner);
  const { id: projectId } = await must<{ id: string }>(owner.post("/api/v3/projects/", { name, description: "" }));
  for (const { account } of others)
    await must(owner.post(`/api/v3/projects/${projectId}/members`, { user: account.username, role: "editor" }));
  const workflow = async (title: string): Promise<string> =>
    (await must<{ id: string }>(owner.post("/api/v3/graphs/", { name: title, description: "", project_id: projectId })))
      .id;
  const graphId = await workflow("Lines");
  const sharedId = await workflow("Shared");
  const printing = await addNode(owner, graphId, "Count");
  await must(owner.put(`/api/v3/objects/${printing}/api`, { source_code: source, api: "{}" }));
  return { people, projectId, graphId, sharedId, typedNode: await addNode(owner, sharedId, "Typed") };
}

async function addNode(person: TestClient, graphId: string, name: string): Promise<number> {
  const form = { name, project_id: graphId };
  return (await must<Made>(person.post("/api/v3/objects?wob_type=CODE_BLOCK", form))).metadata_id;
}

/** How long a connection may take, in milliseconds. */
const patience = 10_000;

/** What one person changed, and what of it was acknowledged. */
export interface Edits {
  acknowledged: number;
  check(): Promise<string[]>;
}

/** Renames a node of their own again and again, and adds a node now and then. */
export async function editByCalls(team: Team, person: TestAccount, isOver: () => boolean): Promise<Edits> {
  const own = await addNode(person, team.sharedId, "0");
  const added: number[] = [];
  let [acknowledged, last, newest] = [0, 0, 0];
  while (!isOver()) {
    newest += 1;
    const renamed = await person.patch(`/api/v3/objects/${own}`, { name: `${newest}` }).catch(() => undefined);
    if (renamed?.status === 200) {
      acknowledged += 1;
      last = newest;
    }
    if (newest % 20 === 0) {
      const made = await addNode(person, team.sharedId, `${newest}`).catch(() => undefined);
      if (made !== undefined) {
        acknowledged += 1;
        added.push(made);
      }
    }
    await sleep(renamed ? 200 : 1_000);
  }
  return {
    acknowledged,
    async check() {
      const { name } = await must<{ name: string }>(person.get(`/api/v3/objects/${own}?wob_type=CODE_BLOCK`));
      // A later name may have been stored without an answer: the server was killed.
      const wrong = Number(name) < last ? [`node ${own} is named ${name}; ${last} was acknowledged`] : [];
      for (const id of added) {
        const { status } = await person.get(`/api/v3/objects/${id}?wob_type=CODE_BLOCK`);
        if (status !== 200) wrong.push(`node ${id} was acknowledged and is missing`);
      }
      return wrong;
    },
  };
}

/** Types into the shared code by the socket, and opens it again when the connection was lost, as an editor does. */
export async function editBySocket(
  url: string,
  team: Team,
  person: TestAccount,
  isOver: () => boolean,
): Promise<Edits> {
  const code = new SharedCode(team.typedNode);
  const acknowledged: string[] = [];
  let number = 0;

  /** False when the server is away. */
  async function open(): Promise<boolean> {
    code.socket?.close();
    return openCode(url, team, person, code).catch(() => false);
  }

  async function type(): Promise<void> {
    const before = Y.encodeStateVector(code.doc);
    const token = `${person.account.username}.${number};`;
    number += 1;
    // With this origin the copy does not send the change itself: we send it and wait for the answer.
    code.doc.transact(() => code.type(code.text.length, token), "server");
    const update = Buffer.from(Y.encodeStateAsUpdate(code.doc, before));
    const refusal = await code.socket?.ask("code_update", code.id, code.epoch, update);
    if (refusal === null) acknowledged.push(token);
  }

  let isOpen = await open();
  while (!isOver()) {
    if (!isOpen || !code.socket?.socket.connected) {
      await sleep(500);
      isOpen = await open();
      continue;
    }
    await type().catch(() => (isOpen = false));
    await sleep(300);
  }
  code.socket?.close();
  return {
    acknowledged: acknowledged.length,
    async check() {
      const fresh = new SharedCode(team.typedNode);
      if (!(await openCode(url, team, person, fresh))) return ["the code could not be opened"];
      fresh.socket?.close();
      return acknowledged
        .filter((token) => fresh.text.split(token).length !== 2)
        .map((token) => `${token} was acknowledged and is ${fresh.text.split(token).length - 1} times in the code`);
    },
  };
}

async function openCode(url: string, team: Team, person: TestAccount, code: SharedCode): Promise<boolean> {
  const late = sleep(patience, undefined, { ref: false });
  const socket = await Promise.race([connect({ url } as TestServer, person), late]);
  if (!socket) return false;
  if ((await socket.enter(team.sharedId)) !== null || (await code.open(socket)) !== null) return false;
  for (let left = patience; code.epoch === null && left > 0; left -= 50) await sleep(50);
  return code.epoch !== null;
}
