import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";

import { messages } from "@miranda/contract/errors.ts";
import { following as follows, paging } from "@miranda/contract/limits.ts";
import { refresh } from "../limits.ts";
import type {
  CreateProjectBody,
  DeletePreview,
  PatchProjectBody,
  Project,
  ProjectDetails,
} from "@miranda/contract/schemas/projects.ts";

import { call } from "./http.ts";

export const projectKeys = {
  lists: ["projects", "list"],
  own: ["projects", "list", "own"],
  followed: ["projects", "list", "following"],
  details: (id: string) => ["projects", "details", id],
  members: (id: string) => ["projects", "members", id],
} as const;

/** The home screen loads a few at first, and more in larger steps. */
const firstOnHome = 24;
// Pages are refetched one after the other, so refetching all pages of a long list would cause a burst of calls.
const refreshedPages = 2;

function isShort({ state }: { state: { data: InfiniteData<Project[], number> | undefined } }): boolean {
  return (state.data?.pages.length ?? 0) <= refreshedPages;
}

interface ProjectPages {
  key: readonly unknown[];
  path: string;
  query?: string;
  firstPage?: number;
}

function useProjectPages({ key, path, query = "", firstPage = paging.clientPage }: ProjectPages) {
  const sizeAt = (offset: number) => (offset === 0 ? firstPage : paging.clientPage);
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam: offset, signal }) =>
      call<Project[]>(
        `${path}?${new URLSearchParams({ ...(query && { query }), limit: `${sizeAt(offset)}`, offset: `${offset}` })}`,
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: (page, _pages, offset) => (page.length < sizeAt(offset) ? undefined : offset + page.length),
    // A new project moves the others down while a person pages, so the last project of a page can be on the next page
    // again.
    select: ({ pages }) => [...new Map(pages.flat().map((project) => [project.id, project])).values()],
    refetchInterval: (list) => (isShort(list) ? refresh.default : false),
    refetchOnMount: (list) => list.state.isInvalidated || isShort(list),
    refetchOnWindowFocus: isShort,
    refetchOnReconnect: isShort,
    placeholderData: keepPreviousData,
  });
}

export type ProjectPagesQuery = ReturnType<typeof useProjectPages>;

export const useOwnProjects = () =>
  useProjectPages({ key: projectKeys.own, path: "/api/v3/projects/", firstPage: firstOnHome });

export const useFollowedProjects = () =>
  useProjectPages({ key: projectKeys.followed, path: "/api/v3/projects/following", firstPage: firstOnHome });

export const useBrowsedProjects = (query: string) =>
  useProjectPages({ key: [...projectKeys.lists, "browse", query], path: "/api/v3/projects/browse", query });

const detailsQuery = (id: string) =>
  queryOptions({
    queryKey: projectKeys.details(id),
    queryFn: ({ signal }) => call<ProjectDetails>(`/api/v3/projects/${encodeURIComponent(id)}`, { signal }),
  });

export function useProject(id: string) {
  return useQuery(detailsQuery(id));
}

/** Loads the whole project: lists have only the start of a long description. */
export function useFreshProject(id: string) {
  return useQuery({ ...detailsQuery(id), refetchOnMount: "always", refetchInterval: false });
}

export function useDeletePreview(path: string) {
  return useQuery({
    queryKey: ["delete-preview", path],
    queryFn: () => call<DeletePreview>(`${path}?preview=true`, { method: "DELETE" }),
    refetchInterval: false,
    retry: false,
    gcTime: 0,
  });
}

/** Projects into which the caller may put a workflow. A refusal without a message gets the specification's. */
export function useWritableProjects(query: string) {
  return useQuery({
    queryKey: ["projects", "writable", query],
    queryFn: ({ signal }) => {
      const parameters = new URLSearchParams({ query, limit: `${paging.clientPage}` });
      return call<Project[]>(`/api/v3/projects/browse?include_own=true&writable=true&${parameters}`, {
        signal,
        unexplained: messages.unknownError,
      });
    },
    enabled: query !== "",
    placeholderData: keepPreviousData,
    refetchInterval: false,
    retry: false,
  });
}

export function useProjectCalls() {
  const client = useQueryClient();
  return {
    async create(fields: CreateProjectBody): Promise<string> {
      const { id } = await call<{ id: string }>("/api/v3/projects/", { method: "POST", fields });
      void client.invalidateQueries({ queryKey: projectKeys.lists });
      return id;
    },
    async change(id: string, fields: PatchProjectBody): Promise<void> {
      putProject(client, await call<Project>(`/api/v3/projects/${id}`, { method: "PATCH", fields }));
      void client.invalidateQueries({ queryKey: projectKeys.lists });
    },
    async remove(id: string): Promise<void> {
      await call(`/api/v3/projects/${id}?preview=false`, { method: "DELETE" });
      changeLists(client, (projects) => projects.filter((project) => project.id !== id));
      // Not refetched: the project's page may still be open for a moment, and would show that it does not exist.
      void client.invalidateQueries({ queryKey: projectKeys.details(id), refetchType: "none" });
      void client.invalidateQueries({ queryKey: projectKeys.lists });
    },
  };
}

/** Whether a project is followed, updated optimistically, and the call that changes it. */
export function useFollow(project: Project, onFailure: (message: string) => void) {
  const client = useQueryClient();
  const { id, metadata_id } = project;
  const mutation = useMutation({
    // Sends two quick clicks in the order in which they were made.
    scope: { id: `follow-${id}` },
    mutationFn: (wanted: boolean) =>
      call(`/api/v3/objects/${metadata_id}/tags?wob_type=PROJECT&public=false`, {
        method: wanted ? "POST" : "DELETE",
        fields: { tag: follows.tag },
      }),
    onSuccess: async (_answer, wanted) => {
      // A list that was requested before would bring the old state back.
      await client.cancelQueries({ queryKey: projectKeys.lists });
      changeLists(client, (projects) => projects.map((one) => (one.id === id ? { ...one, following: wanted } : one)));
      changeDetails(client, id, { following: wanted });
      void client.invalidateQueries({ queryKey: projectKeys.followed });
    },
    onError: (error) => onFailure(error.message),
  });
  const following = mutation.isPending ? mutation.variables : project.following;
  return { following, toggle: () => mutation.mutate(!following) };
}

function putProject(client: QueryClient, project: Project): void {
  changeLists(client, (projects) => projects.map((one) => (one.id === project.id ? project : one)));
  changeDetails(client, project.id, project);
}

function changeLists(client: QueryClient, change: (projects: Project[]) => Project[]): void {
  client.setQueriesData<InfiniteData<Project[], number>>(
    { queryKey: projectKeys.lists },
    (data) => data && { ...data, pages: data.pages.map(change) },
  );
}

function changeDetails(client: QueryClient, id: string, change: Partial<Project>): void {
  client.setQueryData<ProjectDetails>(
    projectKeys.details(id),
    (details) => details && { ...details, project: { ...details.project, ...change } },
  );
}
