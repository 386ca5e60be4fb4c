import { type AppDoor, channelQuery, doorHeaders, doorPath } from "./app-door.ts";
import { bodyOf } from "./calls.ts";

/** An answer as a program would get it. */
export interface RawAnswer {
  status: number;
  statusText: string;
  isJson: boolean;
  text: string;
  milliseconds: number;
}

/** Makes a call as a program would, and returns whatever the server answers: a refusal is an answer too. */
export async function tryCall(
  door: AppDoor,
  inputs: Readonly<Record<string, unknown>>,
  wait: number,
  signal: AbortSignal,
): Promise<RawAnswer> {
  const body = bodyOf(inputs);
  const query = channelQuery(door);
  const began = performance.now();
  const answer = await fetch(`${doorPath(door, "/runs")}${query === "" ? "?" : `${query}&`}wait=${wait}`, {
    method: "POST",
    credentials: "include",
    headers: { ...doorHeaders(door), ...("json" in body && { "content-type": "application/json" }) },
    body: "json" in body ? JSON.stringify(body.json) : body.form,
    signal,
  });
  const text = await answer.text();
  return {
    status: answer.status,
    statusText: answer.statusText,
    isJson: (answer.headers.get("content-type") ?? "").startsWith("application/json"),
    text,
    milliseconds: performance.now() - began,
  };
}
