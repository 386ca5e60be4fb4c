import { node } from "@miranda/contract/graph/graph-samples.ts";
import { describe, expect, it } from "vitest";

import type { Command } from "@miranda/contract/graph/commands/command.ts";
import { formText } from "@miranda/contract/limits.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import { createGraphStore } from "../../../providers/graph/graph-store.ts";
import { createDescribe } from "./describe.ts";

const note = { ...node(1, [], "note"), description: "Plan" };

/** A graph with one note as it is stored now, or without it. */
function open(stored: Partial<Node> | undefined, { refuses = false, viewOnly = false } = {}) {
  const store = createGraphStore();
  if (stored) store.refresh({ ...note, ...stored });
  store.setViewOnly(viewOnly);
  const commands: Command[] = [];
  const messages: string[] = [];
  const dialogs: unknown[] = [];
  const write = createDescribe({
    session: {
      store,
      run: (command) => {
        commands.push(command);
        return Promise.resolve(!refuses);
      },
    },
    ui: { set: ({ dialog }) => void dialogs.push(dialog) },
    notify: (message) => messages.push(message),
  });
  const written = () => commands.map((command) => command.type === "patch" && command.changes.description);
  return { write, written, messages, dialogs };
}

describe("storing the text of a note", () => {
  it("writes what a person typed, and nothing when they typed nothing", async () => {
    const { write, written, messages } = open({ description: "Plan" });
    await write(note, "Plan A", "Plan");
    expect(written()).toEqual(["Plan A"]);
    const other = open({ description: "Plan of somebody else" });
    await other.write(note, "Plan", "Plan");
    expect(other.written()).toEqual([]);
    expect(messages).toEqual([]);
  });

  it("keeps what somebody else wrote meanwhile", async () => {
    const { write, written, messages } = open({ description: "Plan BEN" });
    await write(note, "Plan ADA", "Plan");
    expect(written()).toEqual(["Plan BEN ADA"]);
    expect(messages).toEqual([]);
  });

  it("keeps both versions of the same words and tells the person", async () => {
    const { write, written, messages } = open({ description: "Task" });
    await write(note, "Goal", "Plan");
    expect(written()).toEqual(["Task\n\n---\n\nGoal"]);
    expect(messages).toEqual(["Somebody else changed the same words meanwhile, so your version was put below theirs."]);
  });

  it.each([
    ["deleted", open(undefined)],
    ["locked", open({ locked: true })],
    ["view-only", open({}, { viewOnly: true })],
    ["too-long", open({ description: "x".repeat(formText.descriptionMax) })],
    ["refused", open({}, { refuses: true })],
  ])("offers the text to its author when the note is %s", async (reason, { write, dialogs }) => {
    await write(note, "Goal", "Plan");
    expect(dialogs).toEqual([{ type: "unsaved-note", note, text: "Goal", reason }]);
  });

  it("lets the description of a deleted node go", async () => {
    const { write, written, dialogs } = open(undefined);
    await write({ ...note, class: "Code_block" }, "Goal", "Plan");
    expect([...written(), ...dialogs]).toEqual([]);
  });
});
