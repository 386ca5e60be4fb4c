import { describe, expect, test } from "vitest";

import type { Account } from "@miranda/contract/schemas/auth.ts";
import { accessTo, authState, readLastSession, writeLastSession } from "./session-cache.ts";

const account: Account = {
  id: "0198c0de-0000-7000-8000-000000000001",
  username: "ada",
  first_name: "Ada",
  last_name: "Lovelace",
  email: "ada@example.org",
  email_unconfirmed: false,
  has_password: true,
  has_passkey: false,
  is_admin: 0,
  industry: "",
  role: "",
  phone: "",
  avatar: null,
  has_exec_token: false,
  exec_token_ended: "idle",
  subscribed: 0,
  trial: 1,
  trial_end: null,
  credits: 100,
  force_stop_after: 0,
  sample: null,
};
const now = 1_800_000_000_000;
const needs = { needs_onboarding: false, needs_second_factor: false };
const keptFor = (age: number) => readLastSession(writeLastSession({ account, ...needs }, now - age), now);

describe("the cached session", () => {
  test("S3-003 contains the account and the login time", () => {
    expect(keptFor(0)).toEqual({ ...account, ...needs, login_time: now });
  });

  test.each([
    [59_000, true],
    [60_000, true],
    [60_001, false],
    [61_000, false],
    [-1_000, false],
  ])("S5-023 after %d ms it is fresh: %s", (age, fresh) => {
    expect(keptFor(age) !== undefined).toBe(fresh);
  });

  test.each([null, "", "{", "null", "7", "[]", "{}", '{"username":"ada"}', `{"username":"ada","login_time":"${now}"}`])(
    "S5-024 discards %j",
    (stored) => expect(readLastSession(stored, now)).toBeUndefined(),
  );
});

describe("who is signed in", () => {
  const cached = keptFor(0);
  test.each([
    ["S4-001", { username: "ada" }, undefined, "authenticated"],
    ["S4-002", undefined, cached, "authenticated"],
    ["S4-002", {}, cached, "authenticated"],
    ["S8-001", { username: "ada", detail: "no" }, cached, "unauthenticated"],
    ["S8-001", { detail: "no" }, cached, "unauthenticated"],
    ["S8-001", { detail: "" }, cached, "unauthenticated"],
    ["S2-030", undefined, undefined, "unknown"],
    ["S4-001", {}, undefined, "unauthenticated"],
  ] as const)("%s answer %j and cache %j: %s", (_id, answer, cache, state) => {
    expect(authState(answer, cache)).toBe(state);
  });
});

describe("access to a page", () => {
  const visit = (path: string, state: "unknown" | "authenticated" | "unauthenticated", needsOnboarding = false) =>
    accessTo({ state, needsOnboarding, path, address: `https://miranda.example${path}?a=1&b=2` });

  test("S2-030 waits while the session is unknown", () => {
    expect(visit("/designer", "unknown")).toEqual({ show: "spinner" });
    expect(visit("/login", "unknown")).toEqual({ show: "spinner" });
  });

  test("S2-027 redirects signed-out people to the login, and back afterwards", () => {
    expect(visit("/designer/new", "unauthenticated")).toEqual({
      redirect: "/login?next=https%3A%2F%2Fmiranda.example%2Fdesigner%2Fnew%3Fa%3D1%26b%3D2",
    });
    expect(visit("/loginx", "unauthenticated")).toHaveProperty("redirect");
  });

  test.each(["/login", "/register", "/login/"])("S2-003 S2-005 shows %s to signed-out people", (path) => {
    expect(visit(path, "unauthenticated")).toEqual({ show: "page" });
  });

  test("S2-028 S2-029 redirects new accounts to onboarding once", () => {
    expect(visit("/designer", "authenticated", true)).toEqual({ redirect: "/onboarding" });
    expect(visit("/onboarding/x", "authenticated", true)).toEqual({ show: "page" });
    expect(visit("/designer", "authenticated")).toEqual({ show: "page" });
  });
});
