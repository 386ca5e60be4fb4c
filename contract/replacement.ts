export interface Replacement {
  from: number;
  remove: number;
  insert: string;
}

/** The one range in which two texts differ. Undefined when they are equal. Never splits a character. */
export function replacement(before: string, after: string): Replacement | undefined {
  if (before === after) return undefined;
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  if (isHigh(before.charCodeAt(start - 1))) start -= 1;
  let end = 0;
  while (end < most - start && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end))
    end += 1;
  if (end > 0 && isLow(before.charCodeAt(before.length - end))) end -= 1;
  return { from: start, remove: before.length - end - start, insert: after.slice(start, after.length - end) };
}

const isHigh = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
const isLow = (code: number): boolean => code >= 0xdc00 && code < 0xe000;
