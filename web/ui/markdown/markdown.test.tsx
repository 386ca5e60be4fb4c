import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";

import { MarkdownDocument } from "./markdown-document.tsx";

const render = (text: string) => renderToStaticMarkup(<MarkdownDocument text={text} />);

/** Every tag of the markup with its attributes, without text: text may contain anything. */
const tagsOf = (markup: string) => [...markup.matchAll(/<([a-z][a-z0-9]*)\b([^>]*)>/gi)];

const allowedTags = new Set(
  "a blockquote br code del div em h2 h3 h4 h5 h6 hr img input li ol p pre section span strong sup table tbody svg path line rect circle polyline td th thead tr ul wbr".split(
    " ",
  ),
);

const hostile = [
  "<script>alert(1)</script>",
  "<SCRIPT SRC=https://example.com/x.js></SCRIPT>",
  "<scr<script>ipt>alert(1)</scr</script>ipt>",
  "<img src=x onerror=alert(1)>",
  '<img src="x" onerror="alert(1)">',
  "<svg onload=alert(1)>",
  "<svg><script>alert(1)</script></svg>",
  "<math><mi xlink:href='javascript:alert(1)'>x</mi></math>",
  "<iframe src='javascript:alert(1)'></iframe>",
  "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "<object data='data:text/html,x'></object>",
  "<embed src='javascript:alert(1)'>",
  "<body onload=alert(1)>",
  "<details open ontoggle=alert(1)>x</details>",
  "<a href='javascript:alert(1)'>x</a>",
  "<form action='javascript:alert(1)'><button>x</button></form>",
  "<input autofocus onfocus=alert(1)>",
  "<style>@import 'https://example.com/x.css';</style>",
  "<link rel=stylesheet href=https://example.com/x.css>",
  "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
  "<base href='https://example.com/'>",
  "<video><source onerror=alert(1)></video>",
  "<p style='background:url(javascript:alert(1))'>x</p>",
  "<!-- --><script>alert(1)</script>",
  "<![CDATA[<script>alert(1)</script>]]>",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x]( javascript:alert(1) )",
  "[x](<javascript:alert(1)>)",
  "[x](<java\tscript:alert(1)>)",
  "[x](java&#115;cript:alert(1))",
  "[x](&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;:alert(1))",
  "[x](&#x6A&#x61&#x76&#x61&#x73&#x63&#x72&#x69&#x70&#x74:alert(1))",
  "[x](java&Tab;script:alert(1))",
  "[x](java&NewLine;script:alert(1))",
  "[x](javascript&colon;alert(1))",
  "[x](java\\script:alert(1))",
  "[x](&#1;javascript:alert(1))",
  "[x](\u0001javascript:alert(1))",
  "[x](vbscript:msgbox(1))",
  "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
  "[x](data:image/svg+xml,<svg/onload=alert(1)>)",
  "[x](file:///etc/passwd)",
  "[x](blob:https://example.com/x)",
  "[x][evil]\n\n[evil]: javascript:alert(1)",
  "[evil]\n\n[evil]: javascript:alert(1) 'title'",
  "![x][evil]\n\n[evil]: vbscript:msgbox(1)",
  "<javascript:alert(1)>",
  "<JAVASCRIPT:alert(1)>",
  "<vbscript:msgbox(1)>",
  "<data:text/html,x>",
  "![x](javascript:alert(1))",
  "![x](vbscript:msgbox(1))",
  "![x](data:text/html,<script>alert(1)</script>)",
  "![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)",
  '![x" onerror="alert(1)](x.png)',
  '![x](x.png"onerror=alert(1))',
  '![x](x.png "t\\" onerror=\\"alert(1)")',
  '[x](https://example.com "\\" onclick=\\"alert(1)")',
  "[![x](javascript:alert(1))](javascript:alert(1))",
  "`<script>alert(1)</script>`",
  "```\n</code></pre><script>alert(1)</script>\n```",
  "```html onload=alert(1)\nx\n```",
  "|a|\n|-|\n|<script>alert(1)</script>|",
  "|a|\n|-|\n|[x](javascript:alert(1))|",
  "- [x] <img src=x onerror=alert(1)>",
  "# <script>alert(1)</script>",
  "x[^1]\n\n[^1]: [y](javascript:alert(1))",
  "x[^<script>]\n\n[^<script>]: y",
  "https://example.com/<script>alert(1)</script>",
  'www.example.com/"onmouseover=alert(1)',
  "javascript:alert(1)//https://example.com",
  "~~[x](javascript:alert(1))~~",
  "> [x](javascript:alert(1))",
];

describe("hostile text", () => {
  test.each(hostile)("%j does nothing", (text) => {
    for (const [tag, name = "", attributes = ""] of tagsOf(render(text))) {
      expect(allowedTags).toContain(name.toLowerCase());
      // Quoted values are text; what is left are the names of attributes.
      expect(`<${name}${attributes.replaceAll(/"[^"]*"/g, "")}>`).not.toMatch(/\bon\w+|\bsrcdoc|\bformaction/i);
      expect(tag).not.toMatch(/(?:href|src)="\s*(?:javascript|vbscript|data:(?!image\/png)|file|blob)/i);
      expect(tag).not.toMatch(/^<input(?! type="checkbox" disabled="")/);
    }
  });

  test("keeps the text of a refused link or picture", () => {
    expect(render("[read me](javascript:alert(1))")).toBe("<p><span>read me</span></p>");
    expect(render("![a chart](vbscript:x)")).toBe("<p><span>a chart</span></p>");
  });

  test.each([
    [">".repeat(100_000)],
    ["1. ".repeat(30_000)],
    ["- ".repeat(50_000)],
    ["*a_ ".repeat(25_000)],
    ["**a*".repeat(25_000)],
    ["[".repeat(100_000)],
    ["[a](".repeat(25_000)],
    ["a](".repeat(30_000)],
    ["[a]: u\n".repeat(7_000) + "[a]".repeat(7_000)],
    ["|a|\n|-|\n" + "|b|\n".repeat(20_000)],
    [`${"> ".repeat(16)}a\n\n`.repeat(3_000)],
    ["a@b.c ".repeat(16_000)],
    ["<!--".repeat(25_000)],
    ["a\n".repeat(50_000)],
  ])("%# shows text that would freeze the page as plain text, at once", (text) => {
    const start = performance.now();
    expect(render(text)).toMatch(/^<div class="whitespace-pre-wrap">/);
    // Without the limit it would take minutes.
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  test("gives a long word break points, also across emphasis, links and pictures", () => {
    const longest = (markup: string) =>
      Math.max(
        ...markup
          .replaceAll("<wbr/>", " ")
          .replaceAll(/<[^>]*>/g, "")
          .split(/\s/)
          .map(({ length }) => length),
      );
    expect(longest(render("a".repeat(50_000)))).toBeLessThan(500);
    expect(longest(render(`[${"a".repeat(50_000)}](https://example.org)`))).toBeLessThan(500);
    expect(longest(render(`${"a".repeat(150)}*b*`.repeat(300)))).toBeLessThan(500);
    expect(longest(render(`![${"a".repeat(900)}](vbscript:x)`.repeat(60)))).toBeLessThan(1_000);
    expect(longest(render("a".repeat(100_000)))).toBeLessThan(500);
  });

  test("keeps words of ordinary length in one piece", () => {
    expect(render("Donaudampfschifffahrtsgesellschaft")).not.toContain("<wbr");
    expect(render(`https://example.org/${"a".repeat(100)}`)).not.toContain("<wbr");
  });

  test("keeps fifty of a hundred thousand marks on a letter", () => {
    expect(render(`a${"\u0301".repeat(100_000)}`)).toBe(
      `<div class="whitespace-pre-wrap">a${"\u0301".repeat(50)}</div>`,
    );
    expect(render(`a${"\u0301".repeat(1_000)}`)).toBe(`<p>a${"\u0301".repeat(50)}</p>`);
  });

  test("removes the direction changes of a text that has too many", () => {
    expect(render("\u2067a\u2069".repeat(5_000))).not.toMatch(/[\u2067\u2069]/);
    expect(render("\u2067a\u2069".repeat(100))).toMatch(/[\u2067\u2069]/);
  });

  test("refuses nesting that would overflow the stack", () => {
    const nested = Array.from({ length: 70 }, (_, level) => `${"  ".repeat(level)}- a`).join("\n");
    expect(() => render(nested)).toThrow("nested too deeply");
  });
});

describe("GitHub's dialect", () => {
  test("renders emphasis, strikethrough and code", () => {
    expect(render("**a** _b_ ~~c~~ `d`")).toBe("<p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>");
  });

  test("lets tables scroll on their own", () => {
    const markup = render("|a|b|\n|:-|-:|\n|1|2|");
    expect(markup).toContain('<div class="markdown-table"><table>');
    expect(markup).toContain("<td");
  });

  test("renders task lists", () => {
    const markup = render("- [x] done\n- [ ] open");
    expect(markup).toContain('<input type="checkbox" disabled="" checked=""/>');
    expect(markup.match(/type="checkbox"/g)).toHaveLength(2);
  });

  test("turns bare addresses into links that open in a new tab and send no referrer", () => {
    expect(render("see https://example.com now")).toContain(
      '<a href="https://example.com" target="_blank" rel="noopener noreferrer nofollow">https://example.com</a>',
    );
    expect(render("www.example.com")).toContain('href="http://www.example.com"');
    expect(render("//not a link")).not.toContain("<a");
  });

  test("opens links within the product in the same tab", () => {
    expect(render("[x](/designer/browse)")).toBe('<p><a href="/designer/browse">x</a></p>');
  });

  test("names a picture of another host instead of loading it", () => {
    const markup = render("![a chart](https://example.org/x.png)");
    expect(markup).not.toContain("<img");
    expect(markup).toContain('href="https://example.org/x.png"');
    expect(markup).toContain('rel="noopener noreferrer nofollow"');
    expect(markup).toContain("<span>a chart</span>");
    expect(markup).toContain("Open image from example.org");
    for (const address of ["//example.org/x.png", "http://example.org/x.png"])
      expect(render(`![x](${address})`)).not.toContain("<img");
  });

  test("names a picture within a link inside that link", () => {
    const markup = render("[![built](https://badges.example/x.svg)](https://example.org)");
    expect(markup.match(/<a /g)).toHaveLength(1);
    expect(markup).toContain("Image from badges.example");
  });

  test("shows pictures of this site", () => {
    expect(render("![x](/api/v3/accounts/1/avatar)")).toContain('<img src="/api/v3/accounts/1/avatar"');
  });

  test("shows embedded picture data", () => {
    expect(render("![dot](data:image/png;base64,iVBORw0KGgo=)")).toContain('src="data:image/png;base64,iVBORw0KGgo="');
  });

  test("starts headings below the page's own", () => {
    expect(render("# a\n\n## b\n\n###### f")).toBe("<h2>a</h2>\n<h3>b</h3>\n<h6>f</h6>");
  });

  test("still renders a long document", () => {
    const part =
      "A **quick** [fox](https://example.com) jumps over the _lazy_ dog.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n";
    expect(render(part.repeat(200))).toContain("<strong>quick</strong>");
    expect(render(`| a | b | c |\n|---|---|---|\n${"| 1 | 2 | 3 |\n".repeat(300)}`)).toContain("<table>");
  });

  test("shows HTML as text", () => {
    expect(render("a <b>bold</b> word")).toBe("<p>a &lt;b&gt;bold&lt;/b&gt; word</p>");
  });
});
