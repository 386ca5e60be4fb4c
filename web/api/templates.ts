import { useQueryClient } from "@tanstack/react-query";

import { messages } from "@miranda/contract/words/messages.ts";
import { paging } from "@miranda/contract/limits.ts";
import type { PasteResponse } from "@miranda/contract/schemas/changes.ts";
import type { Position, UpdatePolicy } from "@miranda/contract/schemas/nodes.ts";
import type { Blueprint, Prefab } from "@miranda/contract/schemas/templates.ts";

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
    async remove(kind: "prefabs" | "blueprints", id: string): Promise<void> {
      await call(`/api/v3/${kind}/${id}`, { method: "DELETE" });
      void refresh();
    },
  };
}
