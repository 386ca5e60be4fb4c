interface Place {
  x: number;
  y: number;
  size: number;
}

interface AppDrawing {
  hue: number;
  nodes: Place[];
  edges: [Place, Place][];
}

/** A small workflow for an app without a picture. The same name always gives the same drawing. */
export function drawingOf(name: string): AppDrawing {
  const next = numbersFrom(name);
  const columns = [1, 1 + Math.floor(next() * 3), 1 + Math.floor(next() * 2)];
  const places = columns.map((count, column) =>
    Array.from({ length: count }, (_, row) => ({
      x: 34 + column * 46,
      y: 45 + (row - (count - 1) / 2) * 26 + (next() - 0.5) * 8,
      size: 9 + next() * 4,
    })),
  );
  const edges = places.slice(1).flatMap((column, at): [Place, Place][] => {
    const before = places[at] ?? [];
    return column.flatMap((to, row): [Place, Place][] => {
      const from = before[row % before.length];
      return from ? [[from, to]] : [];
    });
  });
  return { hue: Math.floor(next() * 360), nodes: places.flat(), edges };
}

/** Numbers from 0 to 1 that look random and depend on the text alone (FNV-1a, then mulberry32). */
function numbersFrom(text: string): () => number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
