import type { Caller } from "../../platform/http/caller.ts";
import type { Db } from "../../platform/database/database.ts";
import { createTemplateQueries } from "./templates-queries.ts";

export type TemplateLinks = ReturnType<typeof createTemplateLinks>;

/** A template that a node may be linked to. */
export interface LinkedTemplate {
  version: number;
  /** The nodes it creates. */
  refs: ReadonlySet<string>;
}

/** Decides whether a copied node may stay linked. A person who may not read a template gets none of its updates. */
export function createTemplateLinks({ db }: { db: Db }) {
  const queries = createTemplateQueries(db);
  return {
    /** Those of the templates that the caller may read, by id. */
    async readable(caller: Caller, ids: readonly string[]): Promise<ReadonlyMap<string, LinkedTemplate>> {
      const rows = ids.length > 0 ? await queries.links(caller, ids) : [];
      return new Map(rows.map(({ id, version, refs }) => [id, { version, refs: new Set(refs) }]));
    },
  };
}
