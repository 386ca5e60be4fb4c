import { once } from "node:events";
import { type Agent, type IncomingMessage, request } from "node:http";

/** A session and the token of its agent. */
export interface Job {
  id: string;
  token: string;
}

export async function call(agent: Agent, url: string, headers: Record<string, string>, body?: string): Promise<void> {
  const sent = request(url, { agent, method: body === undefined ? "GET" : "POST", headers });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
}
