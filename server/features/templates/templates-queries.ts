import { template as limits } from "@miranda/contract/limits.ts";
import type { TemplatePageQuery } from "@miranda/contract/schemas/library/templates.ts";
import { type Selectable, sql, type SqlBool } from "kysely";

import type { TemplatesTable } from "../../tables/template-tables.ts";
import { inTransaction } from "../../platform/database/transactions.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Db } from "../../platform/database/database.ts";
import { contains, searchByIndex } from "../../platform/database/name-search-queries.ts";
import { filesIn } from "../../model/graph-files-queries.ts";
import type { LibraryTemplate } from "./library.ts";
import { mayReadTemplate } from "../../model/template-access-queries.ts";
import type { TemplateContent } from "./template-content.ts";

export type TemplateKind = TemplatesTable["kind"];
export type TemplateRow = Omit<Selectable<TemplatesTable>, "content"> & { content: TemplateContent };

interface Described {
  name?: string;
  description?: string;
  tags?: string[];
  public?: boolean;
  withdrawn?: boolean;
}

const searchedWords = 8;
const now = sql<Date>`now()`;
const asJson = (value: unknown) => sql`${JSON.stringify(value)}::jsonb`;
const counts = ({ nodes, edges }: TemplateContent) => ({ node_count: nodes.length, edge_count: edges.length });

/** The content of a template, and the graph it is taken from. */
export interface Taken {
  content: TemplateContent;
  graphId: string;
}

/** What is published as the next version. */
interface Next extends Taken {
  changes: string;
  accountId: string;
}

/** Stores the present code as a version. Only the newest versions stay. */
async function keepVersion(trx: Db, id: string, { changes, accountId }: Pick<Next, "changes" | "accountId">) {
  await sql`insert into template_versions (template_id, version, changes, code, is_public, account_id)
    select id, version, ${changes}, template_code(content), public, ${accountId} from templates
    where id = ${id}`.execute(trx);
  await sql`delete from template_versions where template_id = ${id}
    and version <= (select version from templates where id = ${id}) - ${limits.versionsKept}`.execute(trx);
}

/** Gives the template those files that its content names and the graph may read. */
async function takeFiles(trx: Db, id: string, { content, graphId }: Taken): Promise<void> {
  await trx.deleteFrom("template_files").where("template_id", "=", id).execute();
  await sql`
    insert into template_files select ${id}::uuid, hash from graph_files
    where graph_id = ${graphId} and hash = any(${filesIn(JSON.stringify(content.nodes))}::text[])`.execute(trx);
}

export function createTemplateQueries(db: Db) {
  const readable = (caller: Caller) => db.selectFrom("templates").where(mayReadTemplate(caller));
  const visible = (caller: Caller, kind: TemplateKind) => readable(caller).where("kind", "=", kind);

  return {
    find: (caller: Caller, kind: TemplateKind, id: string): Promise<TemplateRow | undefined> =>
      visible(caller, kind).selectAll().where("id", "=", id).$castTo<TemplateRow>().executeTakeFirst(),

    links: (caller: Caller, ids: readonly string[]) =>
      readable(caller)
        .select(["id", "version"])
        .select(sql<string[]>`jsonb_path_query_array(content, '$.nodes[*].ref')`.as("refs"))
        .where(sql<SqlBool>`id = any(${ids}::uuid[])`)
        .execute(),

    /** One that the installation ships, by its key. */
    findShipped: (key: string): Promise<TemplateRow | undefined> =>
      db.selectFrom("templates").selectAll().where("library_key", "=", key).$castTo<TemplateRow>().executeTakeFirst(),

    /** The template a node was made from. */
    findOrigin: (caller: Caller, id: string): Promise<TemplateRow | undefined> =>
      readable(caller).selectAll().where("id", "=", id).$castTo<TemplateRow>().executeTakeFirst(),

    /** Whether it is a withdrawn public template. Others must not learn of a private one. */
    isWithdrawn: async (id: string): Promise<boolean> => {
      const row = await db
        .selectFrom("templates")
        .select("id")
        .where("id", "=", id)
        .where("withdrawn", "=", true)
        .where("public", "=", true)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** The ids of a page, ordered by name. Every word of the query must occur in the name, the description or a tag. */
    findPage: (caller: Caller, kind: TemplateKind, page: TemplatePageQuery, limit: number): Promise<string[]> => {
      const { query, after, after_name } = page;
      const words = query.split(/\s+/).filter(Boolean).slice(0, searchedWords);
      const found = words.map((word) => sql`and ${contains(sql<string>`words`, word)}`);
      const later =
        after === undefined || after_name === undefined
          ? sql``
          : sql`and (lower(name), id) > (lower(${after_name}), ${after}::uuid)`;
      const find = async (db: Db) => {
        const { rows } = await sql<{ id: string }>`
          select id from templates
          where kind = ${kind} and not withdrawn and ${mayReadTemplate(caller)} ${sql.join(found, sql` `)} ${later}
          order by lower(name), id limit ${limit}`.execute(db);
        return rows.map(({ id }) => id);
      };
      return words.length === 0 ? find(db) : searchByIndex(db, find);
    },

    /** Templates of a page, in its order. Without content: a blueprint's may be large, and lists do not show it. */
    list: (kind: TemplateKind, ids: readonly string[]): Promise<TemplateRow[]> => {
      const content = kind === "prefab" ? sql<TemplateContent>`content` : sql<TemplateContent>`'{}'::jsonb`;
      return db
        .selectFrom("templates")
        .select(["id", "kind", "library_key", "owner_id", "public", "name", "description", "tags", "version"])
        .select(["node_count", "edge_count", "withdrawn", "created_at", "updated_at", content.as("content")])
        .where(sql<SqlBool>`id = any(${ids}::uuid[])`)
        .orderBy(sql`lower(name)`)
        .orderBy("id")
        .execute();
    },

    countOwned: async (accountId: string): Promise<number> => {
      const { count } = await db
        .selectFrom("templates")
        .select(sql<number>`count(*)`.as("count"))
        .where("owner_id", "=", accountId)
        .executeTakeFirstOrThrow();
      return count;
    },

    /** Inside a transaction. */
    insert: async (
      row: {
        id: string;
        kind: TemplateKind;
        owner_id: string;
        public: boolean;
        name: string;
        description: string;
        tags: string[];
      },
      { content, graphId }: Taken,
    ): Promise<void> => {
      await db
        .insertInto("templates")
        .values({ ...row, ...counts(content), content: asJson(content), library_key: null })
        .execute();
      await keepVersion(db, row.id, { changes: "", accountId: row.owner_id });
      await takeFiles(db, row.id, { content, graphId });
    },

    /** False when another version than `base` is the last one. */
    update: (id: string, change: Described, next: Next | undefined, base: number | undefined): Promise<boolean> =>
      inTransaction(db, async (trx) => {
        const content = next && { ...counts(next.content), content: asJson(next.content) };
        const { numUpdatedRows } = await trx
          .updateTable("templates")
          .set({ ...change, updated_at: now, ...(content && { ...content, version: sql<number>`version + 1` }) })
          .where("id", "=", id)
          .$if(base !== undefined, (row) => row.where("version", "=", base ?? 0))
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        // Only the present version: what was published in private may hold what was taken out since.
        if (change.public)
          await sql`update template_versions set is_public = true from templates
            where templates.id = ${id} and template_id = templates.id
              and template_versions.version = templates.version`.execute(trx);
        if (next) {
          await keepVersion(trx, id, next);
          await takeFiles(trx, id, next);
        }
        return true;
      }),

    remove: (id: string) => db.deleteFrom("templates").where("id", "=", id).execute(),

    /** Updates the shipped templates. Unchanged ones keep their version, so nobody is offered an update. */
    seed: (library: (LibraryTemplate & { id: string })[]) =>
      db.transaction().execute(async (trx) => {
        const rows = library.map((one) => ({ ...one, ...counts(one.content) }));
        await sql`
          insert into templates (id, kind, library_key, name, description, tags, content, node_count, edge_count)
          select id, kind, library_key, name, description, array(select jsonb_array_elements_text(given.tags)), content,
            node_count, edge_count
          from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(id uuid, kind text, library_key text,
            name text, description text, tags jsonb, content jsonb, node_count integer, edge_count integer)
          on conflict (library_key) do update set name = excluded.name, description = excluded.description,
            tags = excluded.tags, content = excluded.content, node_count = excluded.node_count,
            edge_count = excluded.edge_count, version = templates.version + 1, updated_at = now()
          where (templates.name, templates.description, templates.tags, templates.content)
            is distinct from (excluded.name, excluded.description, excluded.tags, excluded.content)`.execute(trx);
        const keys = library.map((one) => one.library_key);
        await sql`delete from templates where library_key is not null and library_key <> all(${keys}::text[])`.execute(
          trx,
        );
      }),
  };
}
