import type {
  NodeEdits,
  RestoredVersion,
  Version,
  VersionGraph,
  VersionPage,
} from "@miranda/contract/schemas/versions.ts";

import { type AutomaticVersions, createAutomaticVersions } from "../../features/versions/automatic-versions.ts";
import { createVersionRoom } from "../../features/versions/store/version-room.ts";
import { createVersionStore } from "../../features/versions/version-store.ts";
import type { Db } from "../../platform/database/database.ts";
import { readConfig } from "../../platform/settings/config.ts";
import type { TestClient } from "../test-client.ts";

/** For the chores that a server does once an hour. */
export function automaticVersionsIn(db: Db): AutomaticVersions {
  const announce = () => undefined;
  const room = createVersionRoom({ db, quotas: readConfig({}).quotas, announce });
  return createAutomaticVersions({ db, store: createVersionStore(db), room, announce });
}

/** The calls about the versions of one workflow, as one person. Those that must succeed throw the refusal. */
export function versionsOf(client: TestClient, graph: string) {
  const at = `/api/v3/graphs/${graph}/versions`;
  async function expectOk<T>(sent: ReturnType<TestClient["get"]>): Promise<T> {
    const answer = await sent;
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer.json<T>();
  }

  return {
    create: (name: string, rest: object = {}) => client.postJson(at, { name, ...rest }),
    made: (name: string, rest: object = {}) => expectOk<Version>(client.postJson(at, { name, ...rest })),
    list: async (query = "") => (await expectOk<VersionPage>(client.get(`${at}${query}`))).versions,
    page: (query: string) => expectOk<VersionPage>(client.get(`${at}${query}`)),
    graph: (version: string | number) => expectOk<VersionGraph>(client.get(`${at}/${version}/graph`)),
    edits: (version: string | number) => expectOk<NodeEdits>(client.get(`${at}/${version}/edits`)),
    allEdits: () => expectOk<NodeEdits>(client.get(`/api/v3/graphs/${graph}/edits`)),
    restore: (version: string | number, body: object = {}) => client.postJson(`${at}/${version}/restore`, body),
    restored: (version: string | number, body: object = {}) =>
      expectOk<RestoredVersion>(client.postJson(`${at}/${version}/restore`, body)),
    remove: (version: string | number) => client.delete(`${at}/${version}`),
    get: (path: string) => client.get(`${at}/${path}`),
    post: (path: string, body: object) => client.postJson(`${at}/${path}`, body),
  };
}
