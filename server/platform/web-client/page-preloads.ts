import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** Screens with much code: the page asks for it at once, not after its first script. */
const largeScreens = [
  { path: /^\/designer\/projects\/[^/]+\/graphs\/[^/]+\/code(?:\/|$)/, source: "screens/code-ide/code-ide-screen.tsx" },
  {
    path: /^\/designer\/projects\/[^/]+\/graphs\/(?!new\/?$)[^/]+\/?$/,
    source: "screens/graph-editor/graph-editor-screen.tsx",
  },
  ...["history", "compare", "merge"].map((screen) => ({
    path: new RegExp(`^/designer/projects/[^/]+/graphs/[^/]+/${screen}/?$`),
    source: `screens/graph-editor/${screen}/${screen}-screen.tsx`,
  })),
];
const sharedByThem = "providers/graph-providers.tsx";

const BuiltFile = z.object({
  file: z.string(),
  imports: z.array(z.string()).optional(),
  css: z.array(z.string()).optional(),
});
type BuiltFile = z.infer<typeof BuiltFile>;

/**
 * The page for the screens with much code: it names all their files in its head. Not in a `Link` header: those of a large
 * screen are 10 kB, and proxies refuse answers whose headers are larger than 4 kB.
 */
export async function readLargePages(folder: string): Promise<{ path: RegExp; page: Buffer }[]> {
  const manifest = await readFile(join(folder, ".vite", "manifest.json"), "utf8").catch(() => "{}");
  const built = z.record(z.string(), BuiltFile).parse(JSON.parse(manifest));
  const screens = largeScreens.filter(({ source }) => built[source]);
  if (screens.length === 0) return [];
  const page = await readFile(join(folder, "index.html"), "utf8");
  return screens.map(({ path, source }) => ({
    path,
    page: Buffer.from(addLinks(page, linksTo(built, [source, sharedByThem]))),
  }));
}

/** After what every page needs, which then comes first. */
function addLinks(page: string, links: Map<string, string>): string {
  const missing = [...links].filter(([address]) => !page.includes(`"${address}"`)).map(([, link]) => `    ${link}\n`);
  return page.replace(/[ \t]*<\/head>/, (end) => missing.join("") + end);
}

function linksTo(built: Record<string, BuiltFile>, sources: string[]): Map<string, string> {
  const names = new Set(sources);
  const links = new Map<string, string>();
  // The set grows during the loop: an imported file imports others.
  for (const name of names) {
    const { file, imports = [], css = [] } = built[name] ?? { file: "" };
    if (file) links.set(`/designer/${file}`, `<link rel="modulepreload" crossorigin href="/designer/${file}">`);
    for (const one of css)
      links.set(`/designer/${one}`, `<link rel="preload" as="style" crossorigin href="/designer/${one}">`);
    for (const one of imports) names.add(one);
  }
  return links;
}
