import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { sessionQuery } from "../../api/account/session.ts";
import { type AccountContextValue, AccountProvider, useAccountContext } from "./account-context.tsx";
import { AuthGuard } from "./auth-guard.tsx";

const signedOut = { detail: "You are not signed in." };
const signedIn = {
  username: "ada",
  needs_onboarding: false,
  account: { username: "ada", avatar: "/a.png", trial: 1, trial_end: "2030-01-01T00:00:00Z" },
};

function render(path: string, answer: object | undefined, content: ReactNode): string {
  const client = new QueryClient();
  if (answer) client.setQueryData<object>(sessionQuery.queryKey, answer);
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={[path]}>{content}</MemoryRouter>
    </QueryClientProvider>,
  );
}

const guarded = (fallback?: ReactNode) => <AuthGuard fallback={fallback}>the page</AuthGuard>;

beforeEach(() => vi.stubGlobal("location", { href: "http://here/designer", origin: "http://here" }));
afterEach(() => vi.unstubAllGlobals());

describe("AuthGuard", () => {
  it("shows a spinner with a label while the session is unknown", () => {
    expect(render("/designer", undefined, guarded())).toContain("Loading");
  });

  it("shows the page to a signed-in person", () => {
    expect(render("/designer", signedIn, guarded())).toBe("the page");
  });

  it("shows the login page's own content to a signed-out person", () => {
    expect(render("/login", signedOut, guarded("the form"))).toBe("the form");
  });

  it("shows no page to a signed-out person", () => {
    expect(render("/designer", signedOut, guarded("the form"))).toBe("");
  });

  it("treats an answer with a detail as signed out, whatever else it contains", () => {
    expect(render("/designer", { ...signedIn, ...signedOut }, guarded())).toBe("");
  });

  it("throws on the login page without a fallback", () => {
    expect(() => render("/login", signedOut, guarded())).toThrow(
      "No fallback provided, not authenticated, and on login page. This should never happen.",
    );
  });
});

describe("the account context", () => {
  function contextFor(answer: object | undefined): AccountContextValue {
    let seen: AccountContextValue | undefined;
    const Probe = () => {
      seen = useAccountContext();
      return null;
    };
    render(
      "/designer",
      answer,
      <AccountProvider>
        <Probe />
      </AccountProvider>,
    );
    if (!seen) throw new Error("The probe was not rendered.");
    return seen;
  }

  it("contains the signed-in account", () => {
    expect(contextFor(signedIn)).toEqual({
      authenticated: true,
      username: "ada",
      avatar: "/a.png",
      trial: true,
      trialEnd: "2030-01-01T00:00:00Z",
    });
  });

  it.each([undefined, signedOut])("contains no account when signed out: %j", (answer) => {
    expect(contextFor(answer)).toEqual({
      authenticated: false,
      username: undefined,
      avatar: null,
      trial: false,
      trialEnd: null,
    });
  });
});
