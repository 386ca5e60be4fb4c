import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { messages } from "@miranda/contract/words/messages.ts";
import { following as follows } from "@miranda/contract/limits.ts";
import type {
  CreateProjectBody,
  DeletePreview,
  KnowledgeObject,
  PatchProjectBody,
  Project,
  ProjectDetails,
} from "@miranda/contract/schemas/projects.ts";

import { call } from "./http.ts";
import { changePages, usePages } from "./pages.ts";

export const projectKeys = {
  lists: ["projects", "list"],
  own: ["projects", "list", "own"],
  followed: ["projects", "list", "following"],
  shared: ["projects", "list", "shared"],
  details: (id: string) => ["projects", "details", id],
  /** Below the details, so that both are refetched together. */
  workflows: (id: string) => ["projects", "details", id, "workflows"],
  members: (id: string) => ["projects", "members", id],
} as const;

/** The home screen loads a few at first, and more in larger steps. */
const firstOnHome = 24;

export type ProjectPagesQuery = ReturnType<typeof usePages<Project>>;

export const useOwnProjects = (): ProjectPagesQuery =>
  usePages({ key: projectKeys.own, path: "/api/v3/projects/", firstSize: firstOnHome });

/** Other people's projects that this account is in. */
export const useSharedProjects = (): ProjectPagesQuery =>
  usePages({ key: projectKeys.shared, path: "/api/v3/projects/shared", firstSize: firstOnHome });

export const useFollowedProjects = (): ProjectPagesQuery =>
  usePages({ key: projectKeys.followed, path: "/api/v3/projects/following", firstSize: firstOnHome });

/** `by`: the username of the person whose projects are wanted; empty for everybody's. */
export const useBrowsedProjects = (query: string, by: string): ProjectPagesQuery =>
  usePages({
    key: [...projectKeys.lists, "browse", query, by],
    path: "/api/v3/projects/browse",
    parameters: { ...(query && { query }), ...(by && { by }) },
  });

/** The workflows of a project whose names or descriptions contain the text. */
export const useProjectWorkflows = (projectId: string, query: string) =>
  usePages<KnowledgeObject>({
    key: [...projectKeys.workflows(projectId), query],
    path: `/api/v3/projects/${encodeURIComponent(projectId)}/graphs`,
    parameters: query ? { query } : {},
  });

const detailsQuery = (id: string) =>
  queryOptions({
    queryKey: projectKeys.details(id),
    queryFn: ({ signal }) => call<ProjectDetails>(`/api/v3/projects/${encodeURIComponent(id)}`, { signal }),
  });

export function useProject(id: string) {
  return useQuery({ ...detailsQuery(id), enabled: id !== "" });
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
  return usePages<Project>({
    key: ["projects", "writable", query],
    path: "/api/v3/projects/browse",
    parameters: { include_own: "true", writable: "true", query },
    enabled: query !== "",
    isLive: false,
    retry: false,
    unexplained: messages.unknownError,
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
      changePages<Project>(client, projectKeys.lists, (projects) => projects.filter((project) => project.id !== id));
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
      changePages<Project>(client, projectKeys.lists, (projects) =>
        projects.map((one) => (one.id === id ? { ...one, following: wanted } : one)),
      );
      changeDetails(client, id, { following: wanted });
      void client.invalidateQueries({ queryKey: projectKeys.followed });
    },
    onError: (error) => onFailure(error.message),
  });
  const following = mutation.isPending ? mutation.variables : project.following;
  return { following, toggle: () => mutation.mutate(!following) };
}

function putProject(client: QueryClient, project: Project): void {
  changePages<Project>(client, projectKeys.lists, (projects) =>
    projects.map((one) => (one.id === project.id ? project : one)),
  );
  changeDetails(client, project.id, project);
}

function changeDetails(client: QueryClient, id: string, change: Partial<Project>): void {
  client.setQueryData<ProjectDetails>(
    projectKeys.details(id),
    (details) => details && { ...details, project: { ...details.project, ...change } },
  );
}
