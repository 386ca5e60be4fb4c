import { countedMax, totalHeader, totalText } from "@miranda/contract/list-total.ts";
import type { FastifyReply } from "fastify";

/** A page of a list. The first page also has how many items there are. */
export interface CountedPage<Item> {
  items: Item[];
  total?: string | undefined;
}

/**
 * Finds a page. For the first page it finds as many as are counted, and keeps the first ones: one search answers both
 * questions.
 */
export async function findCounted<Item>(
  { limit, after }: { limit: number; after?: string | undefined },
  find: (limit: number) => Promise<Item[]>,
): Promise<CountedPage<Item>> {
  if (after !== undefined) return { items: await find(limit) };
  const found = await find(countedMax + 1);
  return { items: found.slice(0, limit), total: totalText(found.length) };
}

/** Sends a page as an array, and the total in a header. */
export function withTotal<Item>(reply: FastifyReply, { items, total }: CountedPage<Item>): Item[] {
  if (total !== undefined) void reply.header(totalHeader, total);
  return items;
}
