/** A heading of a page with the text below it, up to the next heading. */
export interface PageSection {
  level: number;
  heading: string;
  anchor: string;
  text: string;
}

/**
 * The anchor of a heading. The name of something in code keeps its letters, because `Secret` and `secret` are two
 * things.
 */
export function anchorOf(heading: string): string {
  const code = /^`([\w.]+)[^`]*`$/.exec(heading.trim())?.[1];
  if (code !== undefined) return code;
  const words = heading.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return words.join("-") || "section";
}

/** Without comments: they hold the checks of the examples, for the tests. */
export function withoutComments(markdown: string): string {
  return markdown.replaceAll(/^<!--[^]*?-->\n?/gm, "");
}

export function sectionsOf(markdown: string): PageSection[] {
  const sections: PageSection[] = [];
  let fence = "";
  for (const line of withoutComments(markdown).split("\n")) {
    const mark = /^\s*(`{3,})/.exec(line)?.[1] ?? "";
    if (fence === "" && mark !== "") fence = mark;
    else if (fence !== "" && line.trim() === fence) fence = "";
    const heading = fence === "" ? /^(#{1,4}) (.+)$/.exec(line) : null;
    const last = sections.at(-1);
    if (heading) {
      const [, marks = "", text = ""] = heading;
      sections.push({ level: marks.length, heading: text.replaceAll("`", ""), anchor: anchorOf(text), text: "" });
    } else if (last) last.text += `${line}\n`;
  }
  return sections;
}
