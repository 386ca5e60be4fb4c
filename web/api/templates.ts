import { queryOptions, useQueryClient } from "@tanstack/react-query";

import { messages } from "@miranda/contract/words/messages.ts";
import { paging } from "@miranda/contract/limits.ts";
import type { PasteResponse } from "@miranda/contract/schemas/changes.ts";
import type { Position, UpdatePolicy } from "@miranda/contract/schemas/nodes.ts";
import type {
  Blueprint,
  OwnTemplate,
  Prefab,
  TemplateCode,
  TemplateOffer,
  TemplateUses,
  TemplateVersion,
} from "@miranda/contract/schemas/library/templates.ts";

import { call } from "./http.ts";
import { type PageKey, usePages } from "./pages.ts";

const allTemplates = ["templates"];

interface Template {
  id: string;
  name: string;
}

const nameKey = ({ id, name }: Template): PageKey => ({ after: id, after_name: name });

/** The first page of a shelf is searched here, while a person types. The server searches a longer shelf. */
function useTemplates<Shown extends Template>(shelf: "prefabs" | "blueprints", query: string) {
  const list = { path: `/api/v3/${shelf}`, keyOf: nameKey, size: paging.libraryPage, isLive: false } as const;
  const all = usePages<Shown>({ ...list, key: [...allTemplates, shelf] });
  const isLong = all.hasNextPage || (all.data?.items.length ?? 0) > paging.libraryPage;
  const isSearched = query !== "" && isLong;
  const found = usePages<Shown>({
    ...list,
    key: [...allTemplates, shelf, query],
    parameters: { query },
    enabled: isSearched,
  });
  // While the server searches, the first page stays: a row that vanishes under the pointer loses the click.
  const shown = (isSearched ? found.data : undefined) ?? all.data;
  return { query: isSearched ? found : all, items: shown?.items ?? [] };
}

export const usePrefabs = (query: string) => useTemplates<Prefab>("prefabs", query);
export const useBlueprints = (query: string) => useTemplates<Blueprint>("blueprints", query);

export const ownTemplatesQuery = queryOptions({
  queryKey: [...allTemplates, "own"],
  queryFn: ({ signal }) => call<OwnTemplate[]>("/api/v3/templates", { signal }),
});

export const templateVersionsQuery = (id: string) =>
  queryOptions({
    queryKey: [...allTemplates, "versions", id],
    queryFn: ({ signal }) => call<TemplateVersion[]>(`/api/v3/templates/${id}/versions`, { signal }),
  });

export const templateUsesQuery = (id: string) =>
  queryOptions({
    queryKey: [...allTemplates, "uses", id],
    queryFn: ({ signal }) => call<TemplateUses>(`/api/v3/templates/${id}/uses`, { signal }),
  });

export const templateCodeQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: [...allTemplates, "code", id, version],
    queryFn: ({ signal }) => call<TemplateCode>(`/api/v3/templates/${id}/versions/${version}`, { signal }),
  });

/** What the newest version of its template would change in a node. */
export const templateOfferQuery = (metadataId: number) =>
  queryOptions({
    queryKey: [...allTemplates, "offer", metadataId],
    queryFn: ({ signal }) => call<TemplateOffer>(`/api/v3/objects/${metadataId}/update`, { signal }),
    // Another version may have been published since the dialog was open last.
    gcTime: 0,
  });

/** A node of the library that the product ships, by its name. */
export async function findShippedPrefab(name: string): Promise<Prefab | undefined> {
  const found = await call<Prefab[]>(`/api/v3/prefabs?query=${encodeURIComponent(name)}`);
  return found.find((one) => one.shipped && one.name === name);
}

export async function cloneBlueprint(
  graphId: string | undefined,
  blueprint: string,
  position: Position,
  update_policy: UpdatePolicy = "linked",
): Promise<PasteResponse> {
  if (!graphId) throw new Error(messages.noProjectForTemplate);
  return call("/api/v3/objects/clone/blueprint", {
    method: "POST",
    fields: { project_id: graphId, blueprint, position: JSON.stringify(position), update_policy },
  });
}

interface Described {
  name: string;
  description: string;
  public: boolean;
}

export function useTemplateCalls() {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: allTemplates });
  return {
    async publishPrefab(metadata_id: number, described: Described): Promise<Prefab> {
      const prefab = await call<Prefab>("/api/v3/prefabs", { method: "POST", fields: { metadata_id, ...described } });
      void refresh();
      return prefab;
    },
    async publishBlueprint(graphId: string, ids: readonly number[], described: Described): Promise<Blueprint> {
      const blueprint = await call<Blueprint>("/api/v3/blueprints", {
        method: "POST",
        fields: { project_id: graphId, metadata_ids: JSON.stringify(ids), ...described },
      });
      void refresh();
      return blueprint;
    },
    /** Publishes the selection as the next version. Refused when another one was published since. */
    async publishNewer(
      template: OwnTemplate,
      graphId: string,
      ids: readonly number[],
      changes: string,
    ): Promise<number> {
      const [only = 0] = ids;
      const content =
        template.kind === "prefab" ? { metadata_id: only } : { project_id: graphId, metadata_ids: JSON.stringify(ids) };
      const { version } = await call<{ version: number }>(`/api/v3/${template.kind}s/${template.id}`, {
        method: "PATCH",
        fields: { ...content, changes, base_version: template.version },
      });
      void refresh();
      return version;
    },
    async setWithdrawn({ kind, id }: OwnTemplate, withdrawn: boolean): Promise<void> {
      await call(`/api/v3/${kind}s/${id}`, { method: "PATCH", fields: { withdrawn } });
      await refresh();
    },
    async remove(kind: "prefabs" | "blueprints", id: string): Promise<void> {
      await call(`/api/v3/${kind}/${id}`, { method: "DELETE" });
      void refresh();
    },
  };
}
