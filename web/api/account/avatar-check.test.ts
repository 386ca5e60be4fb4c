import { describe, expect, it } from "vitest";

import { avatarProblem } from "./avatar-check.ts";

const limit = 5 * 1024 * 1024;

describe("avatarProblem", () => {
  it.each(["image/png", "image/jpeg", "image/webp"])("accepts %s up to the limit", (type) => {
    expect(avatarProblem({ type, size: limit })).toBeNull();
    expect(avatarProblem({ type, size: limit + 1 })).toBe("That picture is too large. 5 MB is the most.");
  });

  it.each(["image/svg+xml", "text/html", "image/gif", ""])("refuses %j", (type) => {
    expect(avatarProblem({ type, size: 1 })).toBe("Please choose a PNG, JPEG or WebP picture.");
  });
});
