/** "1000+" as people read it: "1,000+". */
export function shownTotal(total: string): string {
  const isCut = total.endsWith("+");
  return `${Number(isCut ? total.slice(0, -1) : total).toLocaleString("en")}${isCut ? "+" : ""}`;
}

/** "1 project", "1,000+ projects". */
export function countedTotal(total: string, noun: string): string {
  return `${shownTotal(total)} ${noun}${total === "1" ? "" : "s"}`;
}

/** The server searches everything only for texts with three letters in a row. */
export function isShortSearch(text: string): boolean {
  return text !== "" && !/[\p{L}\p{N}]{3}/u.test(text);
}
