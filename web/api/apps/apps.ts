import { infiniteQueryOptions, type InfiniteData, queryOptions, useQueryClient } from "@tanstack/react-query";

import type { App, AppCard, AppPage, AppTags } from "@miranda/contract/schemas/deployments/deployments.ts";

import { refresh } from "../../limits.ts";
import { call } from "../http.ts";
import { type AppDoor, channelQuery, doorHeaders, doorKey, doorPath } from "./app-door.ts";

export interface AppFilter {
  query: string;
  tag: string;
  show: "all" | "favourites" | "recent";
}

const keys = {
  lists: ["apps", "list"],
  one: (door: AppDoor) => ["apps", "one", doorKey(door)],
} as const;

const pageSize = 48;

/** Apps that the person may use. */
export const appsQuery = ({ query, tag, show }: AppFilter) =>
  infiniteQueryOptions({
    queryKey: [...keys.lists, show, tag, query],
    queryFn: ({ pageParam: after, signal }) => {
      const parameters = new URLSearchParams({
        show,
        limit: `${pageSize}`,
        ...(query !== "" && { query }),
        ...(tag !== "" && { tag }),
        ...(after !== "" && { after }),
      });
      return call<AppPage>(`/api/v3/deployments?${parameters}`, { signal });
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? refresh.default : false),
  });

/** The tags of everything that the person may use, the most frequent first. */
export const appTagsQuery = queryOptions({
  queryKey: ["apps", "tags"],
  queryFn: ({ signal }) => call<AppTags>("/api/v3/app-tags", { signal }),
  select: ({ tags }) => tags.map(({ tag }) => tag),
});

export const appQuery = (door: AppDoor) =>
  queryOptions({
    queryKey: keys.one(door),
    queryFn: ({ signal }) =>
      call<App>(`${doorPath(door)}${channelQuery(door)}`, { headers: doorHeaders(door), signal }),
    // Another release must not change the form below the hands of somebody who fills it in.
    refetchInterval: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

export function pictureAddress({ id, picture }: Pick<AppCard, "id" | "picture">): string | undefined {
  return picture === null ? undefined : `/api/v3/deployments/${id}/picture?v=${encodeURIComponent(picture)}`;
}

export const appAddress = (name: string, part = "") =>
  `/explorer/apps/${encodeURIComponent(name)}${part === "" ? "" : `/${part}`}`;

/** Marks an app as a favourite or takes the mark away. It is shown at once. */
export function useFavourite() {
  const client = useQueryClient();
  return async ({ id, name }: Pick<AppCard, "id" | "name">, favourite: boolean): Promise<void> => {
    const put = (value: boolean) => {
      const changed = <Card extends AppCard>(card: Card) => (card.id === id ? { ...card, favourite: value } : card);
      client.setQueriesData<InfiniteData<AppPage>>(
        { queryKey: keys.lists },
        (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, apps: page.apps.map(changed) })) },
      );
      client.setQueriesData<App>({ queryKey: ["apps", "one"] }, (app) => app && changed(app));
    };
    put(favourite);
    try {
      await call(`/api/v3/deployments/${encodeURIComponent(name)}/favourite`, { method: "PUT", fields: { favourite } });
    } catch (cause) {
      put(!favourite);
      throw cause;
    }
    void client.invalidateQueries({ queryKey: [...keys.lists, "favourites"] });
  };
}
