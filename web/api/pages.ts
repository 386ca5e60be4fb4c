import { type InfiniteData, keepPreviousData, type QueryClient, useInfiniteQuery } from "@tanstack/react-query";

import { paging } from "@miranda/contract/limits.ts";

import { refresh } from "../limits.ts";
import { callList } from "./http.ts";

/** The parameters that ask for the page after an item. */
export type PageKey = Record<string, string>;

interface ListPage<Item> {
  items: Item[];
  total: string | undefined;
  /** Kept with the page: a page that lost an item still has a page after it. */
  next: PageKey | undefined;
}

type Pages<Item> = InfiniteData<ListPage<Item>, PageKey>;

interface ListRequest<Item> {
  key: readonly unknown[];
  path: string;
  parameters?: Record<string, string>;
  /** The key of the page after this item. Its id, unless the list has another order. */
  keyOf?: (last: Item) => PageKey;
  firstSize?: number;
  size?: number;
  enabled?: boolean;
  /** Fetches again from time to time and when the window is used again. */
  isLive?: boolean;
  retry?: false;
  /** The words for a refusal that has none. */
  unexplained?: string;
}

// Pages are refetched one after the other, so refetching all pages of a long list would cause a burst of calls.
const refreshedPages = 2;

function isShort({ state }: { state: { data: { pages: unknown[] } | undefined } }): boolean {
  return (state.data?.pages.length ?? 0) <= refreshedPages;
}

// One function for all lists: with a new one at every render, the pages would be joined at every render.
function joinPages<Item>({ pages }: Pages<Item>): { items: Item[]; total: string | undefined } {
  return { items: pages.flatMap(({ items }) => items), total: pages[0]?.total };
}

const idKey = ({ id }: { id: string }): PageKey => ({ after: id });

/** A list of any length, loaded page by page. */
export function usePages<Item extends { id: string }>(list: ListRequest<Item>) {
  const { key, path, parameters, keyOf = idKey, size = paging.clientPage, firstSize = size, isLive = true } = list;
  return useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam, signal }): Promise<ListPage<Item>> => {
      const limit = Object.keys(pageParam).length === 0 ? firstSize : size;
      const query = new URLSearchParams({ ...parameters, limit: `${limit}`, ...pageParam });
      const unexplained = list.unexplained === undefined ? {} : { unexplained: list.unexplained };
      const { items, total } = await callList<Item>(`${path}?${query}`, { signal, ...unexplained });
      const last = items.at(-1);
      return { items, total, next: last && items.length >= limit ? keyOf(last) : undefined };
    },
    initialPageParam: {},
    getNextPageParam: ({ next }) => next,
    select: joinPages<Item>,
    enabled: list.enabled ?? true,
    refetchInterval: (query) => (isLive && isShort(query) ? refresh.default : false),
    refetchOnMount: (query) => query.state.isInvalidated || isShort(query),
    refetchOnWindowFocus: (query) => isLive && isShort(query),
    refetchOnReconnect: isShort,
    placeholderData: keepPreviousData,
    ...(list.retry === false && { retry: false }),
  });
}

/** Changes the loaded items of every list under a key. */
export function changePages<Item>(
  client: QueryClient,
  key: readonly unknown[],
  change: (items: Item[]) => Item[],
): void {
  client.setQueriesData<Pages<Item>>(
    { queryKey: key },
    (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, items: change(page.items) })) },
  );
}

/** Loads the next page, unless it is being loaded or could not be. */
export function loadMore(list: {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: (options: { cancelRefetch: boolean }) => Promise<unknown>;
}): void {
  if (!list.hasNextPage || list.isFetchingNextPage || list.isFetchNextPageError) return;
  // The end may come near twice before the list knows that it is loading: the page would be asked for again.
  void list.fetchNextPage({ cancelRefetch: false });
}
