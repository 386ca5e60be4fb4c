import { withoutAnsi } from "./ansi.ts";
import type { LogRow } from "./log-view.ts";

/** Rows as plain text, one per line. */
export function textOf(
  rowAt: (row: number) => LogRow | undefined,
  first: number,
  end: number,
  withTime: boolean,
): string {
  const lines: string[] = [];
  for (let row = first; row < end; row += 1) {
    const line = rowAt(row);
    if (!line) continue;
    const time = withTime && !Number.isNaN(line.time) ? `${new Date(line.time).toISOString()} ` : "";
    lines.push(time + withoutAnsi(line.text));
  }
  return `${lines.join("\n")}\n`;
}

export function download(fileName: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = fileName.replaceAll(/[/\\:*?"<>|]/g, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
