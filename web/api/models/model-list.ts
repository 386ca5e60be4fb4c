import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useQueryClient,
} from "@tanstack/react-query";

import type { Model, ModelSort, ModelsResponse, SortDirection } from "@miranda/contract/schemas/models/models.ts";

import { refresh } from "../../limits.ts";
import { callPage } from "../http.ts";

export interface ModelOrder {
  sort: ModelSort;
  direction: SortDirection;
}

export interface ModelSearch {
  /** In the model's name. */
  id: string;
  /** In the workflow's name. */
  graph: string;
  order: ModelOrder | undefined;
}

interface ModelsPage {
  page: ModelsResponse;
  total: string | null;
}

type LoadedPages = InfiniteData<ModelsPage, string>;

const pageSize = "200";
// Pages are refetched one after the other, so refetching all pages of a long list would cause a burst of calls.
const refreshedPages = 2;

const keyOf = (search: ModelSearch) => ["models", search] as const;

function isShort({ state }: { state: { data: LoadedPages | undefined } }): boolean {
  return (state.data?.pages.length ?? 0) <= refreshedPages;
}

/** The models that match a search, page by page. */
export function useModels(search: ModelSearch) {
  const client = useQueryClient();
  const query = useInfiniteQuery({
    queryKey: keyOf(search),
    queryFn: ({ pageParam: after, signal }) =>
      callPage<ModelsResponse>(`/api/v3/models/?${parametersOf(search, after).toString()}`, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ page }) => page.next,
    select: shownModels,
    refetchInterval: (list) => (isShort(list) ? refresh.default : false),
    refetchOnMount: isShort,
    refetchOnWindowFocus: isShort,
    refetchOnReconnect: isShort,
    placeholderData: keepPreviousData,
  });
  return { ...query, forgetLaterPages: () => forgetLaterPages(client, search) };
}

function parametersOf({ id, graph, order }: ModelSearch, after: string): URLSearchParams {
  const given = { id, graph, sort: order?.sort, direction: order?.direction, after };
  const parameters = new URLSearchParams({ limit: pageSize });
  for (const [name, value] of Object.entries(given)) if (value) parameters.set(name, value);
  return parameters;
}

/** A model that is trained again moves while a person scrolls, so two pages may have it. */
function shownModels({ pages }: LoadedPages): { models: Model[]; total: string | null } {
  const models = new Map<string, Model>();
  for (const { page } of pages) for (const model of page.json) if (!models.has(model.id)) models.set(model.id, model);
  return { models: [...models.values()], total: pages[0]?.total ?? null };
}

/** Drops what was loaded by scrolling, so that the list is short enough to be refreshed again. */
function forgetLaterPages(client: QueryClient, search: ModelSearch): void {
  client.setQueryData<LoadedPages>(keyOf(search), (data) => {
    if (!data || data.pages.length <= refreshedPages) return data;
    return { pages: data.pages.slice(0, refreshedPages), pageParams: data.pageParams.slice(0, refreshedPages) };
  });
}
