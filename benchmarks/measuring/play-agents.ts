import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { call, type Job } from "./agent-calls.ts";

// Plays the agents of sessions in a process of its own, and reports how long their samples took.

async function playAgents(url: string, jobs: Job[], onSample: (waited: number) => void): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const play = async ({ id, token }: Job): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const post = async (): Promise<void> => {
      await sleep(Math.random() * 2_000);
      for (let sample = 1; ; sample += 1) {
        const began = performance.now();
        const event = { kind: "usage", sample, seconds: 2, cpu_seconds: 0.5, ram_gb: 0.03 };
        const body = JSON.stringify({ first: sample, events: [event] });
        await call(agent, `${url}/api/runner/${id}/events`, headers, body);
        const waited = performance.now() - began;
        onSample(waited);
        await sleep(Math.max(0, 2_000 - waited));
      }
    };
    const poll = async (): Promise<void> => {
      await sleep(Math.random() * 2_000);
      for (;;) await call(agent, `${url}/api/runner/${id}/commands?after=0&wait=10`, headers);
    };
    await Promise.all([post(), poll()]);
  };
  await Promise.all(jobs.map(play));
}

process.on("message", ({ url, jobs }: { url: string; jobs: Job[] }) => {
  let waited: number[] = [];
  setInterval(() => process.send?.(waited.splice(0)), 500);
  playAgents(url, jobs, (milliseconds) => waited.push(milliseconds)).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
