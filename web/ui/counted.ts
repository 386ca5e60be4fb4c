/** "1 node", "2 nodes", "1,200 nodes". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** "1 person", "2 people". Also of a total that the server cut, such as "1000+". */
export function peopleCount(count: number | string): string {
  return `${typeof count === "string" ? count : count.toLocaleString("en")} ${String(count) === "1" ? "person" : "people"}`;
}
