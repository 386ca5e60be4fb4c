// Reads terminal colours. Only sequences that style text are used; others are removed.

// oxlint-disable-next-line no-control-regex -- it searches for control characters
const sequence = /\u001B(?:\[([0-9;:]*)([A-Za-z])|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-Z\\-_])/g;

export function withoutAnsi(text: string): string {
  return text.includes("\u001B") ? text.replaceAll(sequence, "") : text;
}

export interface Span {
  text: string;
  /** 0 to 7, 8 to 15 for bright colours, or a CSS colour. */
  colour?: number | string | undefined;
  background?: number | string | undefined;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
}

type Style = Omit<Span, "text">;

export function ansiSpans(text: string): Span[] {
  if (!text.includes("\u001B")) return [{ text }];
  const spans: Span[] = [];
  let style: Style = {};
  let from = 0;
  for (const match of text.matchAll(sequence)) {
    if (match.index > from) spans.push({ ...style, text: text.slice(from, match.index) });
    from = match.index + match[0].length;
    if (match[2] === "m") style = styleAfter(style, match[1] ?? "");
  }
  if (from < text.length) spans.push({ ...style, text: text.slice(from) });
  return spans.length === 0 ? [{ text: "" }] : spans;
}

function styleAfter(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number);
  let next = style;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const [colour, used] = longColour(codes.slice(at + 1));
      at += used;
      next = code === 38 ? { ...next, colour } : { ...next, background: colour };
    } else next = styleAfterCode(next, code);
  }
  return next;
}

function styleAfterCode(style: Style, code: number): Style {
  if (code === 0) return {};
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 3) return { ...style, italic: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 23) return { ...style, italic: false };
  if (code === 24) return { ...style, underline: false };
  if (code >= 30 && code <= 37) return { ...style, colour: code - 30 };
  if (code === 39) return { ...style, colour: undefined };
  if (code >= 40 && code <= 47) return { ...style, background: code - 40 };
  if (code === 49) return { ...style, background: undefined };
  if (code >= 90 && code <= 97) return { ...style, colour: code - 82 };
  if (code >= 100 && code <= 107) return { ...style, background: code - 92 };
  return style;
}

function longColour([kind, ...rest]: readonly number[]): [colour: number | string | undefined, used: number] {
  if (kind === 5) return [paletteColour(rest[0] ?? 0), 2];
  if (kind === 2) return [`rgb(${rest.slice(0, 3).map(byte).join(" ")})`, 4];
  return [undefined, 0];
}

function paletteColour(index: number): number | string {
  if (index < 16) return index;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return `rgb(${byte(grey)} ${byte(grey)} ${byte(grey)})`;
  }
  const level = (part: number) => (part === 0 ? 0 : 55 + part * 40);
  const cube = index - 16;
  return `rgb(${[Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(level).map(byte).join(" ")})`;
}

function byte(value: number): number {
  return Number.isFinite(value) ? Math.max(0, Math.min(255, Math.trunc(value))) : 0;
}
