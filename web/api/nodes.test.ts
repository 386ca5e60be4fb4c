import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { clonePrefab, createNode } from "./nodes.ts";
import { cloneBlueprint } from "./templates.ts";

const fetched = vi.fn<(url: string, options?: RequestInit) => Promise<Response>>();

beforeEach(() => {
  vi.stubGlobal("fetch", fetched);
  fetched.mockReset();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const place = { x: 0, y: 0 };

describe("making nodes", () => {
  it("S5-007 needs a loaded project for a node", async () => {
    await expect(createNode(undefined)).rejects.toThrow("No project currently loaded");
    expect(fetched).not.toHaveBeenCalled();
  });

  it("S5-008 S5-009 needs one for a prefab and for a blueprint", async () => {
    await expect(clonePrefab(undefined, "p", place)).rejects.toThrow("No project is currently loaded");
    await expect(cloneBlueprint(undefined, "b", place)).rejects.toThrow("No project is currently loaded");
    expect(fetched).not.toHaveBeenCalled();
  });

  it.each(["", "null", "{}"])("S5-010 fails when a clone answers with nothing (%j)", async (body) => {
    fetched.mockResolvedValue(new Response(body));
    await expect(clonePrefab("g", "p", place)).rejects.toThrow("Could not instantiate prefab");
  });

  it("S7-038 S7-039 makes a code block called New Node unless told otherwise", async () => {
    fetched.mockResolvedValue(new Response('{"metadata_id":1,"revision":1}'));
    await createNode("g");
    const [url, options] = fetched.mock.calls[0] ?? [];
    expect(url).toBe("/api/v3/objects?wob_type=CODE_BLOCK");
    expect(Object.fromEntries(options?.body as URLSearchParams)).toEqual({
      name: "New Node",
      description: "",
      project_id: "g",
    });
  });
});
