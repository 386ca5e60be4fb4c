import { pythonLanguage } from "@codemirror/lang-python";
import { highlightTree } from "@lezer/highlight";

import { codeHighlight } from "../theme.ts";

/**
 * Markdown as language servers write it: fenced code, paragraphs, inline code. Built from text nodes, so that nothing
 * in it can become markup.
 */
export function helpText(markdown: string): HTMLElement {
  const host = element("div", "cm-help");
  for (const part of markdown.split(/^(```[^]*?^```)[ \t]*$/m)) {
    const fence = /^```\w*\n([^]*?)\n?```$/.exec(part);
    if (fence) host.append(codeBlock(fence[1] ?? ""));
    else
      for (const paragraph of part.split(/\n\s*\n|^\s*---+\s*$/m)) if (paragraph.trim()) host.append(prose(paragraph));
  }
  return host;
}

function codeBlock(code: string): HTMLElement {
  const block = element("pre", "cm-help-code");
  let done = 0;
  highlightTree(pythonLanguage.parser.parse(code), codeHighlight, (from, to, classes) => {
    block.append(code.slice(done, from), element("span", classes, code.slice(from, to)));
    done = to;
  });
  block.append(code.slice(done));
  return block;
}

function prose(text: string): HTMLElement {
  const paragraph = element("p", "");
  const clean = text
    .trim()
    .replaceAll("&nbsp;", " ")
    .replaceAll(/\\([\\`*_{}[\]()#+.!<>~|-])/g, "$1");
  clean.split(/(`[^`\n]+`)/).forEach((part) => {
    if (/^`.+`$/.test(part)) paragraph.append(element("code", "", part.slice(1, -1)));
    else paragraph.append(part.replaceAll(/\*\*?(?=\S)|(?<=\S)\*\*?/g, "").replaceAll(/ *\n */g, "\n"));
  });
  return paragraph;
}

export function element(tag: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}
