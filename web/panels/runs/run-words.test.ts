import { describe, expect, it } from "vitest";

import { nodeStateOf } from "./run-looks.ts";
import { durationWords, modeWords, nodeCountWords, partsWords, reasonWords, versionWords } from "./run-words.ts";

describe("the words about a run", () => {
  it.each([
    ["changed", null, "Only what changed"],
    ["all", null, "Everything"],
    ["to", { wob_key: 1, name: "Train" }, "Up to Train"],
    ["from", { wob_key: 1, name: "Train" }, "From Train"],
    ["one", { wob_key: 1, name: "Train" }, "Only Train"],
    ["something new", null, "something new"],
  ])("says what was run: %s of %j is %s", (mode, target, words) => {
    expect(modeWords({ mode, target })).toBe(words);
  });

  it("counts each node once", () => {
    const time_ended = "2026-01-01T00:00:00.000Z";
    const nodes = { run: 9, skipped: 3, kept: 2, failed: 1 };
    expect(nodeCountWords({ nodes, time_ended })).toBe("8 ran, 1 skipped, 2 kept, 1 failed");
    const none = { run: 0, skipped: 0, kept: 0, failed: 0 };
    expect(nodeCountWords({ nodes: none, time_ended })).toBe("No nodes");
    expect(nodeCountWords({ nodes: none, time_ended: null })).toBe("None ended yet");
  });

  it("shows whole seconds while it runs, and what the server counted when it has ended", () => {
    const time_began = "2026-01-01T00:00:00.000Z";
    const began = Date.parse(time_began);
    const times = { took: 53.4, waiting: 0, installing: 0, running: 53.4 };
    const living = { time_began, time_ended: null, times };
    expect(durationWords(living, began + 4_700)).toBe("4 s");
    expect(durationWords({ ...living, time_ended: "2026-01-01T00:01:11.000Z" }, began)).toBe("53.4 s");
    // The clocks of two machines differ.
    expect(durationWords(living, began - 3_000)).toBe("0 s");
  });

  it("tells waiting and installing apart from running", () => {
    const times = { took: 53.4, waiting: 0, installing: 0, running: 53.4 };
    expect(partsWords({ times })).toBe("");
    expect(partsWords({ times: { ...times, waiting: 17.6 } })).toBe("Waited 17.6 s for its session.");
    expect(partsWords({ times: { took: 53.4, waiting: 17.6, installing: 30.2, running: 23.2 } })).toBe(
      "Waited 17.6 s for its session. Installed packages for 30.2 s, ran for 23.2 s.",
    );
  });

  it("names a version by its name and number, and a revision without one", () => {
    expect(versionWords({ id: "v", number: 3, name: "Calm" }, 9)).toBe("Calm #3");
    expect(versionWords({ id: "v", number: null, name: "" }, 9)).toBe("Revision 9");
    expect(versionWords(null, 9)).toBe("Revision 9");
  });

  it("says afterwards why a node ran, and that the run ended before another", () => {
    const node = { planned: true, status: "done", result: null, reason: "It has not run yet." };
    expect(reasonWords(node)).toEqual({ title: "Why it ran", words: "It had not run before." });
    expect(reasonWords({ ...node, reason: "Its code changed." }).words).toBe("Its code changed.");
    expect(reasonWords({ ...node, status: "" })).toEqual({
      title: "Why it did not run",
      words: "The run ended before its turn.",
    });
    expect(reasonWords({ ...node, planned: false, reason: "Nothing changed." })).toEqual({
      title: "Why it did not run",
      words: "Nothing changed.",
    });
  });

  it("tells a skipped node from one whose kept result was used, and knows a status that it does not know", () => {
    expect(nodeStateOf({ planned: false, status: "", result: null })).toBe("skipped");
    expect(nodeStateOf({ planned: false, status: "", result: "key" })).toBe("kept");
    expect(nodeStateOf({ planned: true, status: "done", result: "key" })).toBe("done");
    expect(nodeStateOf({ planned: true, status: "dreaming", result: null })).toBe("idle");
  });
});
