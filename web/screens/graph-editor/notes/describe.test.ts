import { node } from "@miranda/contract/graph/graph-samples.ts";
import { describe, expect, it } from "vitest";

import type { Command } from "@miranda/contract/graph/commands/command.ts";
import { createGraphStore } from "../../../providers/graph/graph-store.ts";
import { createDescribe } from "./describe.ts";

const note = { ...node(1, [], "note"), description: "Plan" };

/** A graph with one note that has this text now. */
function open(stored: string) {
  const store = createGraphStore();
  store.refresh({ ...note, description: stored });
  const commands: Command[] = [];
  const messages: string[] = [];
  const write = createDescribe({
    session: {
      store,
      run: (command) => {
        commands.push(command);
        return Promise.resolve(true);
      },
    },
    notify: (message) => messages.push(message),
  });
  const written = () => commands.map((command) => command.type === "patch" && command.changes.description);
  return { write, written, messages };
}

describe("storing the text of a note", () => {
  it("writes what a person typed, and nothing when they typed nothing", async () => {
    const { write, written, messages } = open("Plan");
    await write(note, "Plan A", "Plan");
    expect(written()).toEqual(["Plan A"]);
    const other = open("Plan of somebody else");
    await other.write(note, "Plan", "Plan");
    expect(other.written()).toEqual([]);
    expect(messages).toEqual([]);
  });

  it("keeps what somebody else wrote meanwhile", async () => {
    const { write, written, messages } = open("Plan BEN");
    await write(note, "Plan ADA", "Plan");
    expect(written()).toEqual(["Plan BEN ADA"]);
    expect(messages).toEqual([]);
  });

  it("keeps both versions of the same words and tells the person", async () => {
    const { write, written, messages } = open("Task");
    await write(note, "Goal", "Plan");
    expect(written()).toEqual(["Task\n\n---\n\nGoal"]);
    expect(messages).toEqual(["Somebody else changed the same words meanwhile, so your version was put below theirs."]);
  });
});
