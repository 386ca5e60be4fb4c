import { drawableText, wordParts } from "../text/drawable-text.ts";

// HTML from node code. Three layers keep it from contacting other hosts: its addresses are removed, its page's policy
// loads nothing, and its frame is a sandbox. Removing addresses is needed because no policy keeps a browser from
// connecting ahead to a page (<link rel=preconnect>, a frame in the frame).

const policy = [
  "default-src 'none'",
  "img-src data: blob:",
  "style-src 'unsafe-inline'",
  "frame-src 'none'",
  "child-src 'none'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

// A template may contain elements that become part of the page only there.
const refusedElements =
  "applet, base, embed, fencedframe, frame, frameset, iframe, link, meta, object, portal, script, template";
const addresses =
  /^(?:on.*|action|archive|background|cite|classid|codebase|data|dynsrc|formaction|href|imagesrcset|longdesc|lowsrc|manifest|ping|poster|profile|src|srcdoc|srcset|xlink:href)$/i;
const brought = /^\s*(?:#|data:image\/)/i;
const limits = { passes: 4, characters: 2_000_000, elements: 30_000 } as const;
// The content of these is text, not elements.
const plainText = "style, textarea, title, xmp, noembed, noframes, noscript, plaintext";
// Once the body has begun, no frameset can replace it.
const body = "<body>";

/** A separate page with our fonts and colours, which may load nothing but embedded pictures. */
export function framedPage(html: string, isDark: boolean): string {
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta http-equiv="x-dns-prefetch-control" content="off"><meta name="referrer" content="no-referrer">
<style>:root{color-scheme:${isDark ? "dark" : "light"}}body{margin:0;font:12px/1.45 system-ui,sans-serif}table{border-collapse:collapse}
td,th{padding:2px 8px;border-bottom:1px solid #8884;text-align:left;white-space:nowrap}caption{text-align:left;opacity:.7}</style>${body}${safeBody(html)}`;
}

/**
 * Cleans until nothing changes any more: a removed part may have hidden another, because the browser parses the rest
 * again.
 */
function safeBody(html: string): string {
  let text = html;
  for (let pass = 0; pass < limits.passes; pass++) {
    const cleaned = text.length > limits.characters ? undefined : cleanedOnce(text);
    if (cleaned === undefined) return "<p>This output is too large to be shown.</p>";
    if (cleaned === text) return text;
    text = cleaned;
  }
  return "<p>This output could not be shown safely.</p>";
}

function cleanedOnce(html: string): string | undefined {
  // Nothing in this document is loaded or run: it is never shown.
  const page = new DOMParser().parseFromString(`<!doctype html>${body}${html}`, "text/html");
  for (const element of page.querySelectorAll(refusedElements)) element.remove();
  const elements = page.querySelectorAll("*");
  if (elements.length > limits.elements) return undefined;
  for (const element of elements)
    for (const { name, value } of [...element.attributes])
      if (addresses.test(name) && !brought.test(value)) element.removeAttribute(name);
  for (const text of textsIn(page)) makeDrawable(page, text);
  return page.body.innerHTML;
}

function textsIn(page: Document): Text[] {
  const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) if (node instanceof Text) found.push(node);
  return found;
}

/** The frame is drawn in the same thread as the page around it. */
function makeDrawable(page: Document, text: Text): void {
  const { parts } = wordParts(drawableText(text.data));
  const isPlain = text.parentElement?.matches(plainText) ?? false;
  if (parts.length === 1 || isPlain) text.data = parts.join("");
  else text.replaceWith(...parts.flatMap((part, at) => (at === 0 ? [part] : [page.createElement("wbr"), part])));
}
