const characters = new Intl.Segmenter();

interface Lengths {
  /** Text of up to this many characters is not cut. */
  whole: number;
  /** Longer text keeps this many characters. */
  cut: number;
  ending: string;
}

/** Counts characters as people do: an emoji is one, and is never cut in half. */
export function shorten(text: string, { whole, cut, ending }: Lengths): string {
  if (text.length <= whole) return text;
  let count = 0;
  let end = text.length;
  for (const { index } of characters.segment(text)) {
    if (count === cut) end = index;
    count += 1;
    if (count > whole) return text.slice(0, end) + ending;
  }
  return text;
}
