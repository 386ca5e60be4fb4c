/**
 * The line of the committed code that a line of the text is. Undefined for a line between the first and the last that
 * differ: it is not committed.
 */
export function committedLine(committed: string, text: string, line: number): number | undefined {
  if (committed === text) return line;
  const [before, now] = [committed.split("\n"), text.split("\n")];
  let same = 0;
  while (same < before.length && same < now.length && before[same] === now[same]) same++;
  if (line <= same) return line;
  let tail = 0;
  const most = Math.min(before.length, now.length) - same;
  while (tail < most && before[before.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  return line > now.length - tail ? line + before.length - now.length : undefined;
}
