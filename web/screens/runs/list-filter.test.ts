import { describe, expect, it } from "vitest";

import { callFilter, filterOf, isFiltered, paramsOf } from "./list-filter.ts";

const parse = (address: string) => filterOf(new URLSearchParams(address));

describe("the filter of a list of runs", () => {
  it("survives the way through the address", () => {
    const filter = parse("query=tide&state=bad&by=ada&graph=g&version=v&from=2026-03-01&until=2026-03-02");
    expect(parse(new URLSearchParams(paramsOf(filter)).toString())).toEqual(filter);
  });

  it("ignores a state and a date that do not exist", () => {
    expect(parse("state=happy&from=yesterday&until=2026-99-99")).toEqual(parse(""));
  });

  it("asks for whole days, until the end of the last one", () => {
    const { from, until } = callFilter(parse("from=2026-03-01&until=2026-03-01"), undefined);
    expect(Date.parse(until ?? "") - Date.parse(from ?? "")).toBe(86_400_000);
  });

  it("sends only what is chosen, with the project of the page", () => {
    expect(callFilter(parse("state=alive"), "p")).toEqual({ project_id: "p", state: "alive" });
  });

  it("does not count the workflow of the page as a filter", () => {
    expect(isFiltered(parse("graph=g"))).toBe(false);
    expect(isFiltered(parse("graph=g&by=ada"))).toBe(true);
  });
});
