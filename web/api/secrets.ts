import type { AskForPasswordEvent } from "@miranda/contract/schemas/realtime.ts";

import { call } from "./http.ts";

/** Stores the answer as a temporary secret and tells the server under which name it waits. */
export async function answerPassword({ project_id, passwd_prompt }: AskForPasswordEvent, value: string): Promise<void> {
  const key = `answer_${crypto.randomUUID().replaceAll("-", "")}`;
  await call("/api/v3/secrets", { method: "POST", fields: { key, value, temporary: true } });
  await call("/api/v3/secrets/notify", { method: "POST", fields: { message: passwd_prompt, key, project_id } });
}
