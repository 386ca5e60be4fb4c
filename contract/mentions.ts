/** A username after an @ that begins a word. Not the address of an e-mail or a page. */
const mention = /(^|[^\w@./\\-])@([a-zA-Z0-9][\w.-]*)/g;

/** Where a Markdown text mentions somebody. Code is left alone: `@property` there is no person. */
export function mentionsIn(text: string): { from: number; to: number; username: string }[] {
  return [...withoutCode(text).matchAll(mention)].map((match) => {
    const [, before = "", found = ""] = match;
    const username = withoutEndMarks(found);
    const from = match.index + before.length;
    return { from, to: from + 1 + username.length, username };
  });
}

/** A sentence may end after a name. A regular expression would need quadratic time for thousands of dots. */
function withoutEndMarks(text: string): string {
  let end = text.length;
  while (end > 0 && "._-".includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The mention that is being written before a place of a text: what follows its @. */
export function mentionBefore(text: string, at: number): { from: number; query: string } | undefined {
  const match = /(?:^|[^\w@./\\-])@([\w.-]{0,50})$/.exec(text.slice(Math.max(0, at - 60), at));
  return match ? { from: at - (match[1]?.length ?? 0) - 1, query: match[1] ?? "" } : undefined;
}

const blank = (code: string): string => " ".repeat(code.length);

/** The text with spaces in the place of its code, so that places stay the same. */
function withoutCode(text: string): string {
  let fence: string | undefined;
  const lines = text.split("\n").map((line) => {
    const [, found] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    const isEnd = fence !== undefined && found?.startsWith(fence) === true;
    const isCode = fence !== undefined || found !== undefined;
    if (isEnd) fence = undefined;
    else fence ??= found;
    return isCode ? blank(line) : line;
  });
  return withoutSpans(lines.join("\n"));
}

/** A span of code ends at the next run of as many backticks. */
function withoutSpans(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map((run) => ({ from: run.index, to: run.index + run[0].length }));
  const nextOfLength = new Map<number, number>();
  const ends = runs.map(() => -1);
  for (let at = runs.length - 1; at >= 0; at--) {
    const { from, to } = runs[at] ?? { from: 0, to: 0 };
    ends[at] = nextOfLength.get(to - from) ?? -1;
    nextOfLength.set(to - from, at);
  }
  let done = "";
  let copied = 0;
  for (let at = 0; at < runs.length; at++) {
    const end = ends[at] ?? -1;
    const [start, last] = [runs[at], runs[end]];
    if (!start || !last) continue;
    done += text.slice(copied, start.from) + blank(text.slice(start.from, last.to));
    copied = last.to;
    at = end;
  }
  return done + text.slice(copied);
}
