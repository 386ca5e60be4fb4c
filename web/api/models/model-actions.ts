import { useQueryClient } from "@tanstack/react-query";

import type { DeployedModel, InsertedModel } from "@miranda/contract/schemas/models/use.ts";
import type { PatchModelBody, PatchModelVersionBody } from "@miranda/contract/schemas/models/versions.ts";

import { call, type FormFields } from "../http.ts";
import { modelKeys, modelPath } from "./model.ts";

export interface MovedAlias {
  alias: string;
  version: number;
  reason: string;
}

/** What people may change of a model. */
export function useModelActions(modelId: string) {
  const client = useQueryClient();
  const refresh = async () => {
    void client.invalidateQueries({ queryKey: modelKeys.list });
    void client.invalidateQueries({ queryKey: modelKeys.trash });
    await client.invalidateQueries({ queryKey: modelKeys.of(modelId) });
  };
  const change = async (path: string, method: "POST" | "PUT" | "PATCH" | "DELETE", fields?: FormFields) => {
    await call(modelPath(modelId, path), { method, ...(fields && { fields }) });
    await refresh();
  };
  return {
    edit: (patch: PatchModelBody) => change("", "PATCH", withTags(patch)),
    editVersion: (number: number, patch: PatchModelVersionBody) =>
      change(`/versions/${number}`, "PATCH", withTags(patch)),
    setAlias: ({ alias, ...fields }: MovedAlias) => change(`/aliases/${encodeURIComponent(alias)}`, "PUT", fields),
    removeAlias: (alias: string, reason: string) =>
      change(`/aliases/${encodeURIComponent(alias)}`, "DELETE", { reason }),
    removeVersion: (number: number) => change(`/versions/${number}`, "DELETE"),
    restoreVersion: (number: number) => change(`/versions/${number}/restore`, "POST"),
    restore: () => change("/restore", "POST"),
    async remove(): Promise<void> {
      await call(modelPath(modelId), { method: "DELETE" });
      // Not read again: its page is open until the person has left it, and would show that it does not exist.
      void client.invalidateQueries({ queryKey: modelKeys.of(modelId), refetchType: "none" });
      void client.invalidateQueries({ queryKey: modelKeys.trash });
      await client.invalidateQueries({ queryKey: modelKeys.list });
    },
    insert: (number: number, graphId: string, alias: string | undefined) =>
      call<InsertedModel>(modelPath(modelId, `/versions/${number}/node`), {
        method: "POST",
        fields: { graph_id: graphId, alias },
      }),
    deploy: (number: number, name: string, alias: string | undefined) =>
      call<DeployedModel>(modelPath(modelId, `/versions/${number}/deploy`), {
        method: "POST",
        fields: { name, alias },
      }),
  };
}

/** Removes what is in the trash of a project for good. */
export function useEmptyTrash(): (projectId: string) => Promise<void> {
  const client = useQueryClient();
  return async (projectId) => {
    await call(`/api/v3/models/trash?project_id=${encodeURIComponent(projectId)}`, { method: "DELETE" });
    await client.invalidateQueries({ queryKey: modelKeys.trash });
  };
}

/** Tags are one field of a form, as JSON. */
function withTags({ tags, ...fields }: PatchModelBody & PatchModelVersionBody): FormFields {
  return { ...fields, ...(tags && { tags: JSON.stringify(tags) }) };
}
