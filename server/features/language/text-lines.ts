export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

/** Language servers count lines and columns, editors count characters. Both count UTF-16 units. */
export function createLines(text: string) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);

  return {
    offsetOf({ line, character }: Position): number {
      const start = starts[line];
      if (start === undefined) return text.length;
      return Math.min(start + character, (starts[line + 1] ?? text.length + 1) - 1);
    },

    positionOf(offset: number): Position {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((starts[middle] ?? 0) <= offset) low = middle;
        else high = middle - 1;
      }
      return { line: low, character: offset - (starts[low] ?? 0) };
    },
  };
}

export type Lines = ReturnType<typeof createLines>;
