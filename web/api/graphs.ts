import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";

import { paging } from "@miranda/contract/limits.ts";
import type { CreateGraphBody, ImportReport, PatchGraphBody, Workflow } from "@miranda/contract/schemas/graphs.ts";
import type { KnowledgeObject, ProjectDetails } from "@miranda/contract/schemas/projects.ts";

import { logWarning } from "../log.ts";
import { call } from "./http.ts";
import { projectKeys } from "./projects.ts";

export const graphAddress = (projectId: string, graphId: string) => `/designer/projects/${projectId}/graphs/${graphId}`;

export const exportAddress = (graphId: string) => `/api/v3/graphs/${graphId}/graphml`;

export function useWorkflowSearch(query: string) {
  return useQuery({
    queryKey: ["workflows", "browse", query],
    queryFn: ({ signal }) =>
      call<Workflow[]>(`/api/v3/graphs/browse?${new URLSearchParams({ query, limit: `${paging.clientPage}` })}`, {
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: false,
    retry: false,
  });
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

interface ImportedFile {
  id: string;
  report: ImportReport;
}

export function useGraphCalls() {
  const client = useQueryClient();
  const refresh = (projectId: string) => client.invalidateQueries({ queryKey: projectKeys.details(projectId) });
  const remove = (id: string) => call(`/api/v3/graphs/${id}?preview=false`, { method: "DELETE" });

  async function create(fields: CreateGraphBody): Promise<string> {
    const { id } = await call<{ id: string }>("/api/v3/graphs/", { method: "POST", fields });
    return id;
  }

  return {
    async create(fields: CreateGraphBody): Promise<string> {
      const id = await create(fields);
      void refresh(fields.project_id);
      return id;
    },
    async change(projectId: string, id: string, fields: PatchGraphBody): Promise<void> {
      await call(`/api/v3/graphs/${id}`, { method: "PATCH", fields });
      if (fields.dest_parent_id) void refresh(fields.dest_parent_id);
      await refresh(projectId);
    },
    async remove(projectId: string, id: string): Promise<void> {
      await remove(id);
      client.setQueryData<ProjectDetails>(
        projectKeys.details(projectId),
        (details) =>
          details && {
            ...details,
            knowledge_objects: details.knowledge_objects.filter((workflow) => workflow.id !== id),
          },
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
    /** All or nothing: when the file is refused, the new workflow is deleted again. */
    async importFile(fields: CreateGraphBody, file: File): Promise<ImportedFile> {
      const id = await create(fields);
      try {
        const report = await call<ImportReport>(exportAddress(id), { method: "POST", fields: { body: file } });
        return { id, report };
      } catch (cause) {
        await remove(id).catch((failure: unknown) => logWarning("The empty workflow could not be removed.", failure));
        throw cause;
      } finally {
        void refresh(fields.project_id);
      }
    },
  };
}
