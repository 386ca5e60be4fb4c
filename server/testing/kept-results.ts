import { setTimeout as sleep } from "node:timers/promises";

import type { TestServer } from "./test-server.ts";

/** Waits until the project has so many kept results: they are written beside the run. */
export async function keptResults({ db }: Pick<TestServer, "db">, projectId: string, count: number): Promise<string[]> {
  for (;;) {
    const rows = await db.selectFrom("results").select("key").where("project_id", "=", projectId).execute();
    if (rows.length >= count) return rows.map(({ key }) => key);
    await sleep(20);
  }
}
