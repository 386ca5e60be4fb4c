import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";

import { messages } from "@miranda/contract/errors.ts";
import type { PasteResponse } from "@miranda/contract/schemas/changes.ts";
import type { Position, UpdatePolicy } from "@miranda/contract/schemas/nodes.ts";
import type { Blueprint, Prefab } from "@miranda/contract/schemas/templates.ts";

import { call } from "./http.ts";

const keys = {
  all: ["templates"],
  prefabs: ["templates", "prefabs"],
  blueprints: ["templates", "blueprints"],
} as const;

/** Loads the whole library at once: it is searched while a person types, and is small beside a graph. */
function useTemplates<Template>(key: readonly string[], path: string, enabled: boolean) {
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => call<Template[]>(`${path}?limit=1000`, { signal }),
    enabled,
    refetchInterval: false,
    refetchOnWindowFocus: false,
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
}

export const usePrefabs = (enabled = true) => useTemplates<Prefab>(keys.prefabs, "/api/v3/prefabs", enabled);
export const useBlueprints = (enabled = true) =>
  useTemplates<Blueprint>(keys.blueprints, "/api/v3/blueprints", enabled);

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
  const refresh = () => client.invalidateQueries({ queryKey: keys.all });
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
