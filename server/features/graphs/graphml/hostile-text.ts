/** Texts that break careless writers of XML, JSON and Python. */
export const hostileTexts = [
  "",
  " ",
  " leading and trailing ",
  'double " quote',
  "single ' quote",
  '""" + __import__("os").system("true") + """',
  "''')\nimport os\nos.system('true')\n('''",
  "back \\ slash",
  "ends with a backslash \\",
  '\\" escaped quote',
  "\\u0041 \\x41 \\N{BULLET}",
  "{braces} {{doubled}} %s %(name)s",
  "line\nbreak",
  "carriage\rreturn",
  "both\r\nof them",
  "tab\there",
  "null \0 byte",
  "\u0001\u0002\u001f control",
  "\u0085 next line \u2028 line separator \u2029 paragraph",
  "\u000b vertical \u000c feed",
  "\u202e reversed \u2066 isolate \u2069",
  "\ufeff byte order mark",
  "\ufffe \uffff not characters",
  "\ud800 alone",
  "alone \udc00",
  "😀 beyond the plane \u{10ffff}",
  "<tag attribute='x'>&amp; & ]]> <![CDATA[ x ]]>",
  "<!-- comment --> <?pi ?> &#0; &lol;",
  "json:",
  'json:"already"',
  "# not a comment\n    pass\n",
  "א ב ג العربية Ελληνικά 中文",
  "constructor",
  "__proto__",
];

/** Seeded, so that a failure can be repeated. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  const pick = <T extends {} | null>(from: readonly T[]): T => {
    const picked = from[below(from.length)];
    if (picked === undefined) throw new Error("There is nothing to pick from.");
    return picked;
  };
  return {
    next,
    below,
    pick,
    text: () =>
      Array.from({ length: below(4) }, () =>
        next() < 0.8 ? pick(hostileTexts) : String.fromCharCode(below(65_536)),
      ).join(""),
  };
}
