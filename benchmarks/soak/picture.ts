import type { Curve, Sample } from "./samples.ts";

/** A moment to mark in the picture. */
export interface Mark {
  at: number;
  what: string;
}

const curves: { key: Curve; title: string }[] = [
  { key: "memoryMb", title: "Memory of the server, MB" },
  { key: "latencyMs", title: "Latency of a call, ms" },
  { key: "descriptors", title: "Open descriptors of the server" },
  { key: "processes", title: "Processes of the server" },
  { key: "browserMb", title: "Heap of the larger browser, MB" },
];

const width = 960;
const height = 120;
const left = 60;
const step = 170;

/** The curves of a soak below each other, as SVG. Marks go through all of them. */
export function drawCurves(samples: readonly Sample[], marks: readonly Mark[]): string {
  const end = Math.max(1, ...samples.map(({ at }) => at));
  const x = (at: number): number => left + (at / end) * width;
  const lines = marks.map(({ at, what }, number) => {
    const bottom = 40 + curves.length * step;
    const name = `<text x="${x(at) + 3}" y="${14 + (number % 2) * 13}">${escape(what)}</text>`;
    return `<line x1="${x(at)}" y1="4" x2="${x(at)}" y2="${bottom}" stroke="#c33" stroke-dasharray="3 4"/>${name}`;
  });
  const drawn = curves.map(({ key, title }, row) => drawOne({ samples, key, title, top: 60 + row * step, x }));
  const size = `width="${width + left + 30}" height="${60 + curves.length * step}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#fff"/>
${[...lines, ...drawn].join("\n")}
</svg>
`;
}

interface Drawn {
  samples: readonly Sample[];
  key: Curve;
  title: string;
  top: number;
  x: (at: number) => number;
}

function drawOne({ samples, key, title, top, x }: Drawn): string {
  const most = Math.max(1, ...samples.map((sample) => sample[key]));
  const points = samples.map(
    (sample) => `${x(sample.at).toFixed(1)},${(top + height * (1 - sample[key] / most)).toFixed(1)}`,
  );
  return `<text x="${left}" y="${top - 8}" font-weight="bold">${title}</text>
<text x="${left - 8}" y="${top + 8}" text-anchor="end">${Math.round(most)}</text>
<text x="${left - 8}" y="${top + height}" text-anchor="end">0</text>
<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="none" stroke="#ccc"/>
<polyline points="${points.join(" ")}" fill="none" stroke="#246" stroke-width="1.5"/>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
