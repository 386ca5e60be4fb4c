/**
 * Keeps the given order and moves the coordinates until neighbours are at least `gap` apart, with the least squared
 * movement. (Isotonic regression by pooling adjacent violators.)
 */
export function spread(wanted: readonly number[], gap: number): number[] {
  const blocks: { sum: number; count: number }[] = [];
  for (const [index, value] of wanted.entries()) {
    let block = { sum: value - index * gap, count: 1 };
    for (let last = blocks.at(-1); last && mean(last) > mean(block); last = blocks.at(-1)) {
      block = { sum: block.sum + last.sum, count: block.count + last.count };
      blocks.pop();
    }
    blocks.push(block);
  }
  const placed: number[] = [];
  for (const block of blocks) {
    const start = mean(block);
    for (let used = 0; used < block.count; used++) placed.push(start + placed.length * gap);
  }
  return placed;
}

function mean(block: { sum: number; count: number }): number {
  return block.sum / block.count;
}
