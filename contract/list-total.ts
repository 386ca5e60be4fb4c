/** The header of a list's first page that says how many items there are. */
export const totalHeader = "x-miranda-total";

/** Lists are counted up to this number: counting more would read the whole table. */
export const countedMax = 1_000;

/** A count as the header has it: "12", or "1000+" for more than 1,000. */
export function totalText(count: number): string {
  return count > countedMax ? `${countedMax}+` : String(count);
}
