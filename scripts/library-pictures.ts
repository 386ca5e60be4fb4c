import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import sharp from "sharp";

import { libraryFolder } from "../server/features/templates/library.ts";
import { findLibraryPython, getLibraryEnvironment } from "./library-environment.ts";

// Draws one small picture for every node of the library from what its example really shows or sends:
// `npx node scripts/library-pictures.ts`. Run it after a change of a node.

const size = { width: 320, height: 200 } as const;
const pictures = join(libraryFolder, "pictures");

interface Described {
  columns?: string[];
  rows?: unknown[][];
  total?: number;
  text?: string;
}

await getLibraryEnvironment();
const python = await findLibraryPython();
if (!python) throw new Error("The pictures need the packages of the library.");
const folder = mkdtempSync(join(tmpdir(), "miranda-pictures-"));
const script = join(libraryFolder, "..", "library-checks", "draw_pictures.py");
const { status } = spawnSync(python, ["-I", "-W", "ignore", script, folder], { stdio: "inherit" });
if (status !== 0) throw new Error("The examples did not run.");

// The picture of the heavy node stays: its example runs only where PyTorch is installed.
mkdirSync(pictures, { recursive: true });
for (const file of readdirSync(folder)) {
  const path = join(folder, file);
  const kind = extname(file);
  const image =
    kind === ".json" ? Buffer.from(drawn(JSON.parse(readFileSync(path, "utf8")) as Described)) : readFileSync(path);
  await sharp(image, { density: 144 })
    .resize({ ...size, fit: "contain", background: "white" })
    .flatten({ background: "white" })
    .webp({ quality: 80, effort: 6 })
    .toFile(join(pictures, `${basename(file, kind)}.webp`));
}
rmSync(folder, { recursive: true });
console.log(`${readdirSync(pictures).length} pictures`);

function drawn({ columns, rows, total, text = "" }: Described): string {
  return columns && rows ? drawTable(columns, rows, total ?? rows.length) : drawText(text);
}

function drawTable(columns: string[], rows: unknown[][], total: number): string {
  const shown = columns.slice(0, columns.length > 4 ? 4 : columns.length);
  const width = (size.width - 16) / shown.length;
  const letters = Math.max(4, Math.floor((width - 6) / 7.4));
  const cell = (value: unknown, column: number, y: number, look: string) =>
    `<text x="${12 + column * width}" y="${y}" ${look}>${escaped(shortened(wordsOf(value), letters))}</text>`;
  const head = shown.map((name, at) => cell(name, at, 26, 'font-weight="600" fill="#333"'));
  const body = rows
    .slice(0, 6)
    .flatMap((row, line) => [
      `<line x1="8" x2="${size.width - 8}" y1="${36 + line * 24}" y2="${36 + line * 24}" stroke="#e4e4e7"/>`,
      ...shown.map((_, at) => cell(row[at], at, 53 + line * 24, 'fill="#555"')),
    ]);
  const more = `${total} ${total === 1 ? "row" : "rows"}${columns.length > shown.length ? `, ${columns.length} columns` : ""}`;
  const foot = `<text x="${size.width - 10}" y="${size.height - 8}" text-anchor="end" fill="#999">${more}</text>`;
  return svg([...head, ...body, foot]);
}

function drawText(text: string): string {
  const lines = text.split("\n").slice(0, 9);
  return svg(
    lines.map(
      (line, at) =>
        `<text x="14" y="${28 + at * 19}" fill="#444" xml:space="preserve">${escaped(shortened(line, 44))}</text>`,
    ),
    "monospace",
  );
}

function svg(parts: string[], font = "sans-serif"): string {
  const { width, height } = size;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="${font}" font-size="12">` +
    `<rect width="${width}" height="${height}" fill="white"/>${parts.join("")}</svg>`
  );
}

function wordsOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(Number(value.toPrecision(5)));
  return typeof value === "string" ? value.replace(/T00:00:00$/, "") : JSON.stringify(value);
}

function shortened(text: string, letters: number): string {
  return text.length > letters ? `${text.slice(0, letters - 1)}…` : text;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
