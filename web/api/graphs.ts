import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";

import type { CreateGraphBody, ImportReport, PatchGraphBody, Workflow } from "@miranda/contract/schemas/graphs.ts";
import type { KnowledgeObject } from "@miranda/contract/schemas/projects.ts";

import { logWarning } from "../log.ts";
import { paste } from "./graph.ts";
import { call } from "./http.ts";
import { type CodeToSplit, splitCode } from "./notebooks.ts";
import { changePages, loadMore, usePages } from "./pages.ts";
import { projectKeys, useProject } from "./projects.ts";

export const graphAddress = (projectId: string, graphId: string) => `/designer/projects/${projectId}/graphs/${graphId}`;

/** The screen that merges a folder of files into a workflow. The address keeps the name of the chosen zip. */
export const importAddress = (projectId: string, graphId: string, zip = "") =>
  `${graphAddress(projectId, graphId)}/merge?files=${encodeURIComponent(zip)}`;

export const exportAddress = (graphId: string) => `/api/v3/graphs/${graphId}/graphml`;

/** Workflows by name or by their project's name: this account's own, then the others. */
export function useWorkflowSearch(query: string) {
  const list = (owned: boolean) =>
    ({
      key: ["workflows", "browse", owned, query],
      path: "/api/v3/graphs/browse",
      parameters: { query, owned: `${owned}` },
      isLive: false,
      retry: false,
    }) as const;
  const own = usePages<Workflow>(list(true));
  const others = usePages<Workflow>(list(false));
  const current = own.hasNextPage ? own : others;
  const items = [...(own.data?.items ?? []), ...(own.hasNextPage ? [] : (others.data?.items ?? []))];
  return {
    items,
    isPending: own.isPending || others.isPending,
    isSearching: [own, others].some((one) => one.isFetching && !one.isFetchingNextPage),
    hasMore: own.hasNextPage || others.hasNextPage,
    error: own.error ?? others.error,
    loadMore: () => loadMore(current),
  };
}

/** Project lists contain at most this many characters of a workflow's description. */
const listedDescription = 5_000;

/** The workflow with its whole description; undefined while only the start of a long one is loaded. */
export function useWholeWorkflow(listed: KnowledgeObject): { whole: KnowledgeObject | undefined; error: Error | null } {
  const cut = listed.description.length >= listedDescription;
  const { data, error } = useQuery({
    queryKey: ["workflows", "whole", listed.id],
    queryFn: ({ signal }) => call<Workflow>(`/api/v3/graphs/${listed.id}`, { signal }),
    enabled: cut,
    refetchInterval: false,
    gcTime: 0,
  });
  return { whole: cut ? data : listed, error };
}

/** The name of an open workflow. A long project lists only its newest workflows, so an older one is fetched by itself. */
export function useWorkflowName(projectId: string, graphId: string): string | undefined {
  return useNamedWorkflow(projectId, graphId).name;
}

/** The name of a workflow, and the project that it is in when that is not the project of the address. */
export function useNamedWorkflow(projectId: string, graphId: string): { name?: string; elsewhere?: string } {
  const { data: details, error } = useProject(projectId);
  const listed = details?.knowledge_objects.find(({ id }) => id === graphId);
  const isAnswered = details !== undefined || error !== null;
  const { data } = useQuery({ ...workflowQuery(graphId), enabled: isAnswered && !listed });
  if (listed) return { name: listed.name };
  if (!data) return {};
  return data.parent.id === projectId ? { name: data.name } : { name: data.name, elsewhere: data.parent.id };
}

/** A workflow and its clone often have one name, so the project is named too. */
export function workflowWords({ name, parent }: Pick<Workflow, "name" | "parent">): string {
  return `${parent.name} > ${name}`;
}

/** One workflow by itself. */
export const workflowQuery = (graphId: string) =>
  queryOptions({
    queryKey: ["workflows", "name", graphId],
    queryFn: ({ signal }) => call<Workflow>(`/api/v3/graphs/${graphId}`, { signal }),
    retry: false,
    refetchInterval: false,
  });

interface ImportedFile {
  id: string;
  /** Only a GraphML file has one: what else is imported comes in whole or not at all. */
  report?: ImportReport;
  /** What a person should look at in a notebook or a script. */
  remarks?: string[];
}

export function useGraphCalls() {
  const client = useQueryClient();
  const refresh = (projectId: string) => client.invalidateQueries({ queryKey: projectKeys.details(projectId) });
  const remove = (id: string) => call(`/api/v3/graphs/${id}?preview=false`, { method: "DELETE" });

  async function create(fields: CreateGraphBody): Promise<string> {
    const { id } = await call<{ id: string }>("/api/v3/graphs/", { method: "POST", fields });
    return id;
  }

  /** All or nothing: when the file is refused, the new workflow is deleted again. */
  async function fill(fields: CreateGraphBody, put: (id: string) => Promise<ImportedFile>): Promise<ImportedFile> {
    const id = await create(fields);
    try {
      return await put(id);
    } catch (cause) {
      await remove(id).catch((failure: unknown) => logWarning("The empty workflow could not be removed.", failure));
      throw cause;
    } finally {
      void refresh(fields.project_id);
    }
  }

  return {
    async create(fields: CreateGraphBody): Promise<string> {
      const id = await create(fields);
      void refresh(fields.project_id);
      return id;
    },
    async change(projectId: string, id: string, fields: PatchGraphBody): Promise<void> {
      await call(`/api/v3/graphs/${id}`, { method: "PATCH", fields });
      void client.invalidateQueries({ queryKey: ["workflows", "name", id] });
      if (fields.dest_parent_id) void refresh(fields.dest_parent_id);
      await refresh(projectId);
    },
    async remove(projectId: string, id: string): Promise<void> {
      await remove(id);
      changePages<KnowledgeObject>(client, projectKeys.workflows(projectId), (workflows) =>
        workflows.filter((workflow) => workflow.id !== id),
      );
      void refresh(projectId);
    },
    async clone(id: string, projectId: string): Promise<string> {
      const copy = await call<{ id: string }>(`/api/v3/graphs/${id}/clone`, {
        method: "POST",
        fields: { to_project: projectId },
      });
      void refresh(projectId);
      return copy.id;
    },
    /** A workflow as files in a zip. */
    async importFiles(fields: CreateGraphBody, zip: File): Promise<ImportedFile> {
      const made = await call<{ id: string }>("/api/v3/graphs/files", { method: "POST", fields: { ...fields, zip } });
      void refresh(fields.project_id);
      return made;
    },
    importFile(fields: CreateGraphBody, file: File): Promise<ImportedFile> {
      return fill(fields, async (id) => ({
        id,
        report: await call<ImportReport>(exportAddress(id), { method: "POST", fields: { body: file } }),
      }));
    },
    /** A notebook or a script: one node, which runs as the file ran. */
    importCode(fields: CreateGraphBody, code: CodeToSplit): Promise<ImportedFile> {
      return fill(fields, async (id) => {
        const { form, nodes, edges, remarks } = await splitCode(id, code, false);
        if (form === "text") throw new Error(`This is not Python. ${remarks[0]?.text ?? ""}`.trim());
        await paste(id, { nodes, edges, groups: [] });
        return { id, remarks: remarks.map(({ cell, text }) => (cell === null ? text : `Cell ${cell}: ${text}`)) };
      });
    },
  };
}
