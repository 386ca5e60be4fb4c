import { renderToStaticMarkup } from "react-dom/server";
import { MemoryRouter } from "react-router";
import { describe, expect, it } from "vitest";

import sdkNames from "../../../docs/handbook/sdk-names.json";
import { helpAddress } from "../../shell/sdk-help.ts";
import { contents, neighboursOf, pages } from "./contents.ts";
import { HandbookDocument } from "./handbook-document.tsx";
import { pictureAddress } from "./handbook-files.ts";
import { pythonTokens } from "./python-tokens.ts";
import { indexPage, searchHandbook } from "./search-handbook.ts";
import { anchorOf, sectionsOf } from "./sections.ts";

const files = import.meta.glob<string>("../../../docs/handbook/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});
const fileOf = (name: string) => `../../../docs/handbook/${name}.md`;
const textOf = (name: string) => files[fileOf(name)] ?? "";
const render = (text: string) =>
  renderToStaticMarkup(
    <MemoryRouter>
      <HandbookDocument text={text} />
    </MemoryRouter>,
  );

describe("the pages of the handbook", () => {
  it("are all in the contents, under their own titles", () => {
    expect(pages.map(({ name }) => fileOf(name)).sort()).toEqual(Object.keys(files).sort());
    for (const { name, title } of pages)
      expect(sectionsOf(textOf(name))[0]).toMatchObject({ level: 1, heading: title });
    expect(contents.every((group) => group.pages.length > 0)).toBe(true);
  });

  it.each(pages.map(({ name }) => name))("%s has no link that leads nowhere, and no anchor twice", (name) => {
    const text = textOf(name);
    const anchors = sectionsOf(text)
      .filter(({ level }) => level > 1)
      .map(({ anchor }) => anchor);
    expect(new Set(anchors).size).toBe(anchors.length);
    for (const [, page = "", anchor] of text.matchAll(/\]\(([\w-]*)(?:\.md)?(?:#([\w.-]+))?\)/g)) {
      const target = page === "" ? name : page;
      expect(files, `${target} in ${name}`).toHaveProperty([fileOf(target)]);
      if (anchor !== undefined) expect(sectionsOf(textOf(target)).map((one) => one.anchor)).toContain(anchor);
    }
  });

  it.each(pages.map(({ name }) => name))("%s has the pictures that it names", (name) => {
    for (const [, path = ""] of textOf(name).matchAll(/!\[[^\]]+\]\(([^)]+)\)/g))
      expect({ path, address: pictureAddress(path) }).toEqual({ path, address: expect.any(String) });
  });

  it("explain every name for which the editor offers help", () => {
    const anchors = new Set(sectionsOf(textOf("sdk")).map(({ anchor }) => anchor));
    expect(Object.values(sdkNames).filter((anchor) => !anchors.has(anchor))).toEqual([]);
    expect(helpAddress("Receiver")).toBe("/docs/sdk#Receiver");
    expect(helpAddress("send")).toBe("/docs/sdk#Transmitter.send");
    for (const word of ["", "pandas", "toString", "__proto__"]) expect(helpAddress(word)).toBe("/docs/writing-nodes");
  });

  it("follow each other", () => {
    expect(neighboursOf("first-workflow")).toMatchObject({ before: undefined, after: { name: "canvas" } });
    expect(neighboursOf(pages.at(-1)?.name ?? "").after).toBeUndefined();
    expect(neighboursOf("nothing")).toEqual({ before: undefined, after: undefined });
  });
});

describe("a page", () => {
  it("gives headings anchors, keeps the letters of names in code, and hides comments", () => {
    const markup = render("# T\n\n## When a node runs\n\n<!-- check\nx\n-->\n\n### `Secret`\n\n### `secret`");
    expect(markup).toContain('id="when-a-node-runs"');
    expect(markup).toContain('id="Secret"');
    expect(markup).toContain('id="secret"');
    expect(markup).not.toContain("check");
  });

  it("leads to other pages within the product, and elsewhere in a new tab", () => {
    expect(render("[a](sdk.md#show)")).toContain('href="/docs/sdk#show"');
    expect(render("[a](https://example.org)")).toContain('target="_blank"');
    expect(render("[a](javascript:alert(1))")).not.toContain("javascript");
    expect(render("<script>alert(1)</script>")).not.toContain("<script");
    expect(render("![a](https://example.org/x.png)")).not.toContain("<img");
  });

  it("offers to copy every example", () => {
    const markup = render("```python\nx = 1\n```");
    expect(markup).toContain("Copy");
    expect(markup).toContain("x = ");
  });

  it("names its anchors in a way that survives any heading", () => {
    expect(anchorOf("1. Make a project")).toBe("1-make-a-project");
    expect(anchorOf("…")).toBe("section");
    expect(anchorOf("`Node.show(value)`")).toBe("Node.show");
  });

  it("does not take a comment in code for a heading", () => {
    expect(sectionsOf("# A\n```sh\n# no heading\n```\n## B").map(({ heading }) => heading)).toEqual(["A", "B"]);
  });
});

describe("the search", () => {
  const index = pages.flatMap((page) => indexPage(page, textOf(page.name)));
  const first = (query: string) => {
    const found = searchHandbook(index, query)[0];
    return found && `${found.section.page.name}#${found.section.anchor}`;
  };

  it.each([
    ["log_metric", "sdk#log_metric"],
    ["progress bar", "cookbook#show-a-progress-bar"],
    ["breakpoints", "running#breakpoints"],
    ["excel", "cookbook#read-an-excel-sheet"],
    ["SCHEDULES", "schedules#"],
    ["restore", "versions#restore"],
  ])("finds %s", (query, place) => {
    expect(first(query)).toBe(place);
  });

  it.each(["", "   ", "…", "qwertzuiop", "(", "\\", "[a-"])("answers %j without an error", (query) => {
    expect(() => searchHandbook(index, query.repeat(1_000))).not.toThrow();
    expect(searchHandbook(index, query)).toEqual(query === "[a-" ? expect.any(Array) : []);
  });

  it("finds only what has every word, in an excerpt without marks", () => {
    for (const { section, excerpt } of searchHandbook(index, "storage bucket")) {
      expect(`${section.page.title} ${section.title} ${section.body}`.toLowerCase()).toContain("storage");
      expect(excerpt).not.toMatch(/[`|]/);
      expect(excerpt.length).toBeLessThan(160);
    }
    expect(searchHandbook(index, "node").length).toBe(12);
  });
});

describe("the colours of an example", () => {
  it("lose no character", () => {
    const code =
      'class A(Node):\n    """Text."""\n    x = Field("a\\"b", 1.5)  # note\n\n    def run(self): return None\n';
    const tokens = pythonTokens(code);
    expect(tokens.map(({ text }) => text).join("")).toBe(code);
    const kinds = new Map(tokens.map(({ text, kind }) => [text, kind]));
    expect([
      kinds.get("class"),
      kinds.get("# note"),
      kinds.get('"""Text."""'),
      kinds.get("run"),
      kinds.get("1.5"),
    ]).toEqual(["keyword", "comment", "string", "function", "number"]);
  });
});
