/** The line where a node's run method begins, counted from 1; undefined when there is none. */
export function firstRunLine(source: string): number | undefined {
  const lines = source.split("\n");
  const at = lines.findIndex((line) => /^\s+(async\s+)?def\s+run\s*\(/.test(line));
  if (at === -1) return undefined;
  const body = lines.findIndex((line, index) => index > at && line.trim() !== "" && !/^\s*(#|"""|''')/.test(line));
  return body === -1 ? undefined : body + 1;
}
