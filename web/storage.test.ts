import { afterEach, expect, it, vi } from "vitest";

import { readStoredRecord } from "./storage.ts";

afterEach(() => vi.unstubAllGlobals());

it("reads a stored object", () => {
  vi.stubGlobal("localStorage", { getItem: () => '{"side":true}' });
  expect(readStoredRecord("panels")).toEqual({ side: true });
});

it.each([null, "", "{", "null", "7", '"text"', "[1]"])("reads an empty object when %j is stored", (stored) => {
  vi.stubGlobal("localStorage", { getItem: () => stored });
  expect(readStoredRecord("panels")).toEqual({});
});

it("reads an empty object when storage is switched off", () => {
  vi.stubGlobal("localStorage", {
    getItem() {
      throw new DOMException("Denied.", "SecurityError");
    },
  });
  expect(readStoredRecord("panels")).toEqual({});
});
