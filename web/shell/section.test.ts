import { describe, expect, it } from "vitest";

import { barTitle, currentPlace, hasTopBar, isAtSectionRoot, sectionOf, sectionRoot } from "./section.ts";

describe("the rules of the top bar", () => {
  it.each([
    ["/designer", "designer", "/designer/", "Designer", true],
    ["/designer/", "designer", "/designer/", "Designer", true],
    ["/designer/new", "designer", "/designer/", "Designer", false],
    ["/designer/models", "designer", "/designer/", "Models", false],
    ["/designer/modelsx", "designer", "/designer/", "Designer", false],
    ["/explorer", "explorer", "/explorer/", "Explorer", true],
    ["/explorer/x", "explorer", "/explorer/", "Explorer", false],
    ["/account", "other", "/", "Account", false],
    ["/account/billing", "other", "/", "Account", false],
    ["/docs", "other", "/", "Handbook", false],
    ["/docs/sdk", "other", "/", "Handbook", false],
    ["/designers", "other", "/", "Designer", false],
    ["/", "other", "/", "Designer", true],
  ])("%s", (pathname, section, root, title, atRoot) => {
    expect(sectionOf(pathname)).toBe(section);
    expect(sectionRoot(sectionOf(pathname))).toBe(root);
    expect(barTitle(pathname)).toBe(title);
    expect(isAtSectionRoot(pathname)).toBe(atRoot);
  });

  it.each([
    ["/login", false],
    ["/register", false],
    ["/onboarding", false],
    ["/onboarding/x", false],
    ["/", true],
    ["/designer/projects/1/graphs/2", true],
  ])("%s shows the bar: %s", (pathname, shown) => {
    expect(hasTopBar(pathname)).toBe(shown);
  });

  it.each([
    ["/designer", "Projects"],
    ["/designer/projects/1/runs", "Projects"],
    ["/designer/models/1/charts", "Models"],
    ["/designer/runs/1", "Runs"],
    ["/explorer/apps/x", "Explorer"],
    ["/designer/processors", undefined],
    ["/account", undefined],
  ])("%s belongs to %s", (pathname, place) => {
    expect(currentPlace(pathname)).toBe(place);
  });
});
