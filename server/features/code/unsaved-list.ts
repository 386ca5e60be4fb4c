import type { Draft, DraftAuthor } from "@miranda/contract/schemas/code.ts";

import type { codeQueries } from "./code-queries.ts";

export const toAuthor = ({ username, first_name }: DraftAuthor): DraftAuthor => ({ username, first_name });

/** The unsaved code of a graph, as it is stored. */
export async function unsavedIn(queries: ReturnType<typeof codeQueries>, graphId: string): Promise<Draft[]> {
  const rows = await queries.unsavedIn(graphId);
  const ids = new Set(rows.flatMap(({ authors }) => authors));
  const people = ids.size > 0 ? await queries.peopleOf([...ids]) : [];
  return rows.map((row) => ({
    metadata_id: row.metadata_id,
    unsaved: true,
    by: row.username,
    authors: people.filter(({ id }) => row.authors.includes(id)).map(toAuthor),
    time: row.updated_at.toISOString(),
    outdated: row.outdated,
  }));
}
