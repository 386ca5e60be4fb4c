/** The words of a Markdown text without its marks, on one line: a card shows only the start of a description. */
export function plainMarkdown(markdown: string): string {
  return (
    markdown
      // Lists have only the start of a long text. This limits the work for other callers.
      .slice(0, 4_000)
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replaceAll(/^[ \t]*(?:#{1,6}[ \t]+|>+[ \t]?|[-*+][ \t]+|```.*|[-*_=]{3,}[ \t]*$)/gm, "")
      .replaceAll(/[`~]+|\*+(?=\S)|(?<=\S)\*+|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)/g, "")
      .replaceAll(/\s+/g, " ")
      .trim()
  );
}
