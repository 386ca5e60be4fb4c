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

describe("creating nodes", () => {
  it("S5-007 refuses to create a node when no project is loaded", async () => {
    await expect(createNode(undefined)).rejects.toThrow("No project currently loaded");
    expect(fetched).not.toHaveBeenCalled();
  });

  it("S5-008 S5-009 refuses to add a prefab or a blueprint when no project is loaded", async () => {
    await expect(clonePrefab(undefined, "p", place)).rejects.toThrow("No project is currently loaded");
    await expect(cloneBlueprint(undefined, "b", place)).rejects.toThrow("No project is currently loaded");
    expect(fetched).not.toHaveBeenCalled();
  });

  it.each(["", "null", "{}"])("S5-010 fails when a clone answers with nothing (%j)", async (body) => {
    fetched.mockResolvedValue(new Response(body));
    await expect(clonePrefab("g", "p", place)).rejects.toThrow("Could not instantiate prefab");
  });

  it("S7-038 S7-039 creates a code block called New Node by default", async () => {
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
