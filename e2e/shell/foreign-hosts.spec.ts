import { expect } from "@playwright/test";
import { once } from "node:events";
import { createServer, type Server } from "node:net";

import { card, openEditor } from "../drivers/canvas.ts";
import { address, test } from "../drivers/people.ts";
import { runButton } from "../drivers/running.ts";
import { endSessions, giveToken, makeProgram } from "../drivers/sessions.ts";
import { makeProject } from "../drivers/fixtures.ts";

// Looking at what others wrote or made must contact no other host: its owner would learn who looks, and when.

/** A host that counts connections. A connection alone reveals the person's address, even without a request. */
interface ForeignHost {
  port: number;
  connections: number;
  requests: number;
  close: () => void;
}

async function openForeignHost(): Promise<ForeignHost> {
  const host: ForeignHost = { port: 0, connections: 0, requests: 0, close: () => server.close() };
  const server: Server = createServer((socket) => {
    host.connections += 1;
    socket.on("error", () => undefined);
    socket.once("data", () => (host.requests += 1));
    socket.end("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<title>Foreign</title>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  host.port = (server.address() as { port: number }).port;
  return host;
}

const vectors = (at: string): string[] => [
  `<iframe src="${at}/iframe"></iframe>`,
  `<iframe srcdoc="<img src='${at}/srcdoc'><iframe src='${at}/deep'></iframe>"></iframe>`,
  `<iframe src="data:text/html,<iframe src='${at}/data-frame'></iframe>"></iframe>`,
  `<frameset><frame src="${at}/frame"></frameset>`,
  `<object data="${at}/object"><param name="src" value="${at}/param"></object>`,
  `<embed src="${at}/embed">`,
  `<img src="${at}/img"><img srcset="${at}/srcset 2x"><img lowsrc="${at}/lowsrc" dynsrc="${at}/dynsrc">`,
  `<picture><source srcset="${at}/source"><img src="data:,"></picture>`,
  `<video poster="${at}/poster" src="${at}/video" autoplay muted preload="auto"><track default src="${at}/track"></video>`,
  `<audio src="${at}/audio" autoplay preload="auto"><source src="${at}/audio-source"></audio>`,
  ...[
    "stylesheet",
    "preload",
    "prefetch",
    "preconnect",
    "dns-prefetch",
    "icon",
    "prerender",
    "manifest",
    "modulepreload",
    "expect",
  ].map((rel) => `<link rel="${rel}" as="image" href="${at}/link-${rel}">`),
  `<link rel="preload" as="image" imagesrcset="${at}/imagesrcset 1x">`,
  `<meta http-equiv="refresh" content="0;url=${at}/refresh">`,
  `<meta http-equiv="Link" content="<${at}>; rel=preconnect">`,
  `<base href="${at}/base/"><img src="relative.png"><a href="x" ping="${at}/ping">x</a>`,
  `<style>@import url("${at}/import"); @font-face { font-family: f; src: url("${at}/font"); }
    body { background: url("${at}/background"); font-family: f; cursor: url("${at}/cursor"), auto; }
    p { border-image: url("${at}/border"); list-style: url("${at}/list"); mask: url("${at}/mask.svg#m");
      filter: url("${at}/filter.svg#f"); clip-path: url("${at}/clip.svg#c"); shape-outside: url("${at}/shape"); }
    p::before { content: url("${at}/content") image-set("${at}/image-set" 1x); }</style><p>letters</p>`,
  `<p style="background: url(${at}/inline)">x</p><table background="${at}/table"><td background="${at}/td">x</table>`,
  `<body background="${at}/body" style="background: url(${at}/body-style)">`,
  `<svg><image href="${at}/svg-image"/><image xlink:href="${at}/svg-xlink"/><use href="${at}/use.svg#a"/>
    <filter id="f"><feImage href="${at}/fe-image"/></filter><rect filter="url(#f)" width="9" height="9"/>
    <script href="${at}/svg-script"></script><style>@import "${at}/svg-import";</style>
    <image><set attributeName="href" to="${at}/set"/><animate attributeName="href" values="${at}/animate"/></image>
    <foreignObject><iframe src="${at}/foreign-object"></iframe></foreignObject></svg>`,
  `<math href="${at}/math"><mi>x</mi></math>`,
  `<form action="${at}/form"><input type="image" src="${at}/input"><button autofocus formaction="${at}/formaction">x</button></form>
    <script>document.forms[0].submit()</script>`,
  `<script src="${at}/script"></script><script>fetch("${at}/fetch"); new Image().src = "${at}/image";</script>`,
  `<script type="speculationrules">{"prefetch":[{"urls":["${at}/speculation"]}]}</script>`,
  `<img src=x onerror="new Image().src='${at}/onerror'">`,
  `<div><template shadowrootmode="open"><iframe src="${at}/shadow"></iframe><link rel="preconnect" href="${at}"></template></div>`,
  `<noscript><iframe src="${at}/noscript"></iframe><link rel="preconnect" href="${at}"></noscript>`,
  `<noscript><p title="</noscript><link rel=preconnect href=${at}><iframe src=${at}/mutated></iframe>"></noscript>`,
  `<svg><style><!--</style><iframe src="${at}/comment"></iframe>--></style></svg>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;iframe src=${at}/mglyph&gt;"></table></mtext></math>`,
  `<xmp><iframe src="${at}/xmp"></iframe></xmp><textarea><iframe src="${at}/textarea"></iframe></textarea>`,
  `<a href="${at}/link">a link</a><area href="${at}/area"><blockquote cite="${at}/cite">x</blockquote>`,
  `<portal src="${at}/portal"></portal><fencedframe src="${at}/fenced"></fencedframe><applet codebase="${at}/applet"></applet>`,
];

/**
 * Everything left in a page that could contact another host. Styles may name hosts: the page's policy loads nothing for
 * them.
 */
function namesOfHosts(): string[] {
  const elements = [...document.body.querySelectorAll("*")];
  const loading = "iframe, frame, object, embed, link, base, meta, script, template, portal, fencedframe, applet";
  return [
    ...elements.filter((element) => element.matches(loading)).map(({ tagName }) => tagName),
    ...elements.flatMap(({ attributes }) =>
      [...attributes]
        .filter(({ name, value }) => value.includes("127.0.0.1") && !/^(?:style|title|to|values?)$/.test(name))
        .map(({ name, value }) => `${name}=${value}`),
    ),
  ];
}

test.afterEach(({ context }) => endSessions(context));

test("contacts no other host for the output of a node, however the output asks for it", async ({
  page,
  context,
  person: _person,
}) => {
  test.setTimeout(180_000);
  const foreign = await openForeignHost();
  const [alone, together] = ["http", "https"].map((scheme) => vectors(`${scheme}://127.0.0.1:${foreign.port}`));
  // Each one alone, because one may hide the next from the parser, and all in one.
  const shown = [...(alone ?? []), together?.join("\n") ?? ""].map((html) => `${html}<p>The end</p>`);
  const program = `import json
from miranda import Node

class Show(Node):
    def run(self):
        for html in json.loads(${JSON.stringify(JSON.stringify(shown))}):
            self.show(Page(html))

class Page:
    def __init__(self, html):
        self.html = html

    def _repr_html_(self):
        return self.html
`;
  const { path } = await makeProgram(context, program);
  await giveToken(context);
  await openEditor(page, path);
  await runButton(page).click();
  await expect(card(page, "Step 1").getByTestId("node-output").locator("iframe")).toBeVisible();
  await card(page, "Step 1").getByRole("button", { name: "Output of Step 1" }).last().click();
  const dialog = page.getByRole("dialog", { name: "Output of Step 1" });
  const outputs = dialog.getByRole("region", { name: /^Output \d+$/ });
  await expect(outputs).toHaveCount(shown.length);
  for (const output of await outputs.all()) {
    // Each output is drawn when it scrolls into view.
    await output.scrollIntoViewIfNeeded();
    await expect(output.locator("iframe")).toHaveCount(1);
  }
  const frames = dialog.locator("iframe");
  await expect(frames.first().contentFrame().getByText("The end")).toBeVisible();
  // Other browsers may connect ahead even to what they must not load, so no host may be named at all.
  for (const frame of page.frames().filter((one) => one !== page.mainFrame()))
    expect(await frame.evaluate(namesOfHosts), await frame.content()).toEqual([]);
  await page.waitForTimeout(1_000);
  expect(foreign.connections).toBe(0);
  // Make sure that the host does count connections.
  await page.goto(`http://127.0.0.1:${foreign.port}/`).catch(() => undefined);
  await expect.poll(() => foreign.connections).toBeGreaterThan(0);
  foreign.close();
});

test("shows tables, styles and embedded pictures of a node's output", async ({ page, context, person: _person }) => {
  const dot = "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==";
  const html = `<style>td { color: rgb(1, 2, 3); }</style><table><tr><td>Brest</td></tr></table><img alt="dot" src="${dot}"><svg width="9"><title>A drawing</title><circle r="4"/></svg>`;
  const program = `from miranda import Node

class Show(Node):
    def run(self):
        self.show(self)

    def _repr_html_(self):
        return ${JSON.stringify(html)}
`;
  const { path } = await makeProgram(context, program);
  await giveToken(context);
  await openEditor(page, path);
  await runButton(page).click();
  const frame = card(page, "Step 1").getByTestId("node-output").locator("iframe").contentFrame();
  await expect(frame.getByRole("cell", { name: "Brest" })).toHaveCSS("color", "rgb(1, 2, 3)");
  // The picture is drawn.
  await expect(frame.getByAltText("dot")).toHaveJSProperty("naturalWidth", 1);
  await expect(frame.locator("svg title")).toHaveText("A drawing");
});

test("contacts no host for a description until the person opens its picture", async ({
  page,
  context,
  person: _person,
}) => {
  const foreign = await openForeignHost();
  const at = `http://127.0.0.1:${foreign.port}`;
  const project = await makeProject(
    context,
    "Tides",
    `![High water](${at}/tide.png "At noon")\n\n![x](//127.0.0.1:${foreign.port}/y.png) ![][z]\n\n[![built](${at}/badge.svg)](/designer)\n\n` +
      `${at}/link <img src="${at}/html.png"> [a link](${at}/far)\n\n[z]: ${at}/z.png`,
  );
  await page.goto(address(`/designer/projects/${project}`));
  const picture = page.getByRole("link", { name: `High water Open image from 127.0.0.1:${foreign.port}` });
  await expect(picture).toBeVisible();
  await expect(page.getByText("Image from", { exact: false }).first()).toBeVisible();
  await page.waitForTimeout(1_000);
  expect(foreign.connections).toBe(0);
  const opened = context.waitForEvent("page");
  await picture.click();
  expect(await (await opened).evaluate(() => window.opener === null)).toBe(true);
  await expect.poll(() => foreign.connections).toBeGreaterThan(0);
  foreign.close();
});

test("keeps the browser from other hosts by the policy of every page, whatever gets into it", async ({
  page,
  person: _person,
}) => {
  const foreign = await openForeignHost();
  const at = `http://127.0.0.1:${foreign.port}`;
  const insert = (tag: string) =>
    page.evaluate(
      ([name, source]) => {
        const element = document.createElement(name);
        element.setAttribute("src", source);
        document.body.append(element);
      },
      [tag, `${at}/${tag}`] as const,
    );
  await page.goto(address("/designer"));
  await expect(page.getByTestId("bar-title")).toBeVisible();
  for (const tag of ["img", "video", "audio", "script"]) await insert(tag);
  await page.evaluate((host) => {
    document.body.style.background = `url("${host}/background")`;
    void fetch(`${host}/fetch`).catch(() => undefined);
  }, at);
  await page.waitForTimeout(1_000);
  expect(foreign.connections).toBe(0);
  // Chromium connects to the host of a frame before it asks the policy. It sends nothing.
  // What other people wrote never becomes a frame of ours: see the tests above.
  for (const tag of ["iframe", "embed"]) await insert(tag);
  await page.waitForTimeout(1_000);
  expect(foreign.requests).toBe(0);
  foreign.close();
});
