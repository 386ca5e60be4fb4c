import { useQuery, useQueryClient } from "@tanstack/react-query";

import { paging } from "@miranda/contract/limits.ts";
import type { AskForPasswordEvent } from "@miranda/contract/schemas/realtime.ts";
import type { SecretList } from "@miranda/contract/schemas/secrets.ts";

import { call } from "./http.ts";

/** Stores the answer as a temporary secret and sends its key to the server. */
export async function answerPassword(asked: AskForPasswordEvent, value: string): Promise<void> {
  const { project_id, passwd_prompt: message, question } = asked;
  const key = `answer_${crypto.randomUUID().replaceAll("-", "")}`;
  await call("/api/v3/secrets", { method: "POST", fields: { key, value, temporary: true } });
  const fields = { message, key, project_id, ...(question !== undefined && { question }) };
  await call("/api/v3/secrets/notify", { method: "POST", fields });
}

const keyOf = (projectId: string) => ["projects", "secrets", projectId] as const;

/** The names of a project's secrets. Their values cannot be read. */
export function useSecretNames(projectId: string, isAsked: boolean) {
  return useQuery({
    queryKey: keyOf(projectId),
    enabled: isAsked,
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ project_id: projectId, limit: `${paging.pageMax}` });
      const secrets = await call<SecretList>(`/api/v3/secrets?${query}`, { signal });
      return secrets.map(({ key }) => key);
    },
  });
}

export function useSaveSecret(projectId: string) {
  const client = useQueryClient();
  return async (key: string, value: string): Promise<void> => {
    await call("/api/v3/secrets", { method: "POST", fields: { key, value, project_id: projectId } });
    await client.invalidateQueries({ queryKey: keyOf(projectId) });
  };
}
