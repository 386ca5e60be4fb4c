import { describe, expect, it } from "vitest";

import type { Command } from "@miranda/contract/graph/commands/command.ts";

import { HttpError } from "../../api/http.ts";
import { keepCalling } from "./keep-calling.ts";

const set: Command = { type: "set", id: 1, name: "rate", value: 5 };
const remove: Command = { type: "delete", ids: [1], edges: [], groups: [] };
const away = new Error("Miranda cannot be reached.");

/** Fails as given, then answers. */
function callThat(...failures: Error[]) {
  const told: string[] = [];
  return {
    told,
    run: (command: Command, isStopped = () => false) =>
      keepCalling(
        command,
        async () => {
          told.push("call");
          const failure = failures.shift();
          if (failure) throw failure;
          return "stored";
        },
        { wait: async () => void told.push("wait"), isStopped, onAway: () => told.push("away") },
      ),
  };
}

describe("a value that is set while the server cannot be reached", () => {
  it("is sent again until it is stored, and the person is told once", async () => {
    const { run, told } = callThat(away, away);
    expect(await run(set)).toBe("stored");
    expect(told).toEqual(["call", "away", "wait", "call", "wait", "call"]);
  });

  it("is sent again without a word while the server is busy", async () => {
    const { run, told } = callThat(new HttpError(503, "The server is busy.", { code: "server_busy" }));
    expect(await run(set)).toBe("stored");
    expect(told).toEqual(["call", "wait", "call"]);
  });

  it("is given up when the graph is closed", async () => {
    const { run, told } = callThat(away);
    await expect(run(set, () => told.includes("wait"))).rejects.toBe(away);
  });
});

it("is sent again when only a gateway answered", async () => {
  const gateway = [new HttpError(502, "Bad Gateway", {}), new HttpError(504, "", {})];
  expect(await callThat(...gateway).run(set)).toBe("stored");
});

it("does not repeat what the server refused", async () => {
  const refusal = new HttpError(403, "You cannot change this.", {});
  await expect(callThat(refusal).run(set)).rejects.toBe(refusal);
});

it("does not repeat a deletion: the second one could hit something that somebody restored", async () => {
  await expect(callThat(away).run(remove)).rejects.toBe(away);
});
