import { nodeLayout } from "@miranda/contract/graph/layout/card-layout.ts";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { cardSize, libraryFolder, readLibrary } from "./library.ts";
import { apiOf, type TemplateContent, type TemplateNode } from "./template-content.ts";

interface Picture {
  type: string;
  body: Buffer;
}

const route = "/api/v3/library/pictures";
const size = { width: 320, height: 200, edge: 10 } as const;

/** Read and drawn once: the library does not change while the server runs. */
let pictures: Map<string, Picture> | undefined;

function allPictures(): Map<string, Picture> {
  pictures ??= new Map(
    readLibrary().flatMap(({ library_key, kind, content }): [string, Picture][] => {
      if (kind === "blueprint") return [[library_key, { type: "image/svg+xml", body: Buffer.from(drawn(content)) }]];
      const file = join(libraryFolder, "pictures", `${library_key.slice("prefab:".length)}.webp`);
      return existsSync(file) ? [[library_key, { type: "image/webp", body: readFileSync(file) }]] : [];
    }),
  );
  return pictures;
}

/** By the key of a shipped template; other names have no picture. */
export const findPicture = (key: string): Picture | undefined => allPictures().get(key);

/** It names the version, so that browsers may keep the picture. */
export function pictureAddress(key: string | null, version: number): string | undefined {
  return key !== null && allPictures().has(key) ? `${route}/${encodeURIComponent(key)}?version=${version}` : undefined;
}

/** A blueprint in small: its cards in their colours, its edges and groups. */
function drawn({ nodes, edges, groups = [] }: TemplateContent): string {
  const boxes = new Map(nodes.map((node) => [node.ref, { node, ...cardSize(node) }]));
  const all = [...boxes.values()];
  const right = Math.max(...all.map(({ node, width }) => node.x + width));
  const bottom = Math.max(...all.map(({ node, height }) => node.y + height));
  const scale = Math.min((size.width - 2 * size.edge) / right, (size.height - 2 * size.edge) / bottom);
  const left = (size.width - right * scale) / 2;
  const top = (size.height - bottom * scale) / 2;
  const round = (value: number) => Math.round(value * 10) / 10;
  const at = (x: number, y: number) => `${round(left + x * scale)} ${round(top + y * scale)}`;
  const rectangle = (x: number, y: number, width: number, height: number, look: string) =>
    `<rect x="${round(left + x * scale)}" y="${round(top + y * scale)}" width="${round(width * scale)}" ` +
    `height="${round(height * scale)}" ${look}/>`;
  const frames = groups.map(({ members }) => {
    const inside = members.flatMap((ref) => boxes.get(ref) ?? []);
    const [x, y] = [Math.min(...inside.map(({ node }) => node.x)), Math.min(...inside.map(({ node }) => node.y))];
    const width = Math.max(...inside.map((one) => one.node.x + one.width)) - x;
    const height = Math.max(...inside.map((one) => one.node.y + one.height)) - y;
    return rectangle(x - 20, y - 44, width + 40, height + 64, 'rx="4" fill="#a1a1aa" fill-opacity="0.14"');
  });
  const cards = all.map(
    ({ node, width, height }) =>
      rectangle(node.x, node.y, width, height, 'rx="2.5" fill="#a1a1aa" fill-opacity="0.32"') +
      rectangle(node.x, node.y, width, 44, `rx="2.5" fill="${node.colour ?? "#8b8d98"}"`),
  );
  const lines = edges.flatMap(({ source, transmitter, target, receiver }) => {
    const [one, other] = [boxes.get(source)?.node, boxes.get(target)?.node];
    if (!one || !other) return [];
    const from = portOf(one, transmitter);
    const to = portOf(other, receiver);
    const bend = Math.max(40, (to.x - from.x) / 2);
    const path = `M${at(from.x, from.y)} C${at(from.x + bend, from.y)} ${at(to.x - bend, to.y)} ${at(to.x, to.y)}`;
    return [`<path d="${path}" fill="none" stroke="#8b8d98" stroke-width="1.2"/>`];
  });
  const body = [...frames, ...lines, ...cards].join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}">${body}</svg>`;
}

function portOf(node: TemplateNode, name: string): { x: number; y: number } {
  const api = apiOf(node);
  const { ports } = nodeLayout({ class: "Code_block", api, tags: { tags: node.tags } });
  const port = ports.find(({ index }) => api.attributes[index]?.name === name);
  return { x: node.x + (port?.x ?? 0), y: node.y + (port?.y ?? 0) };
}
