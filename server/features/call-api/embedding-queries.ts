import type { Db } from "../../platform/database/database.ts";

/** Which sites may show an app in a frame: /embed/{name}, and /embed/links/{link} for everybody. */
export function createEmbedding(db: Db) {
  return async function framedBy(path: string): Promise<readonly string[]> {
    const [, link, name] = /^\/embed\/(?:links\/([\w-]{1,200})|([a-z0-9-]{1,100}))(?:\/|$)/.exec(path) ?? [];
    if (link === undefined && name === undefined) return [];
    const row = await db
      .selectFrom("deployments")
      .select("embed_origins")
      .$if(link !== undefined, (rows) => rows.where("link", "=", link ?? "").where("access", "=", "link"))
      .$if(link === undefined, (rows) => rows.where("name", "=", name ?? ""))
      .executeTakeFirst();
    return row?.embed_origins ?? [];
  };
}
