import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { buildWebClient } from "./build-web-client.ts";

const project = resolve(import.meta.dirname, "..", "..", "..");
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "miranda-client-"));
  for (const folder of ["web", "contract", "docs/handbook"]) await mkdir(join(root, folder), { recursive: true });
  await symlink(join(project, "node_modules"), join(root, "node_modules"));
  await writeFile(join(root, "package-lock.json"), "{}");
  await writeFile(
    join(root, "vite.config.ts"),
    `export default { root: "web", build: { outDir: "../dist/web", emptyOutDir: true } };`,
  );
  await writeFile(join(root, "web", "index.html"), `<script type="module" src="./main.js"></script>`);
  await writeFile(
    join(root, "web", "main.js"),
    `import { createRoot } from "react-dom/client"; createRoot(document.body);`,
  );
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(root, { recursive: true, force: true });
});

test.each(["test", "development"])("the client is built for users when NODE_ENV is %s", async (mode) => {
  vi.stubEnv("NODE_ENV", mode);
  const folder = join(root, "dist", "web");
  await buildWebClient(root, folder, () => undefined);
  const file = (await readdir(join(folder, "assets"))).find((name) => name.endsWith(".js")) ?? "";
  const code = await readFile(join(folder, "assets", file), "utf8");
  // React's own message, which only its version for development has. Not the text itself: a failure would print it.
  expect([code.includes("createRoot"), code.includes("Download the React DevTools")]).toEqual([true, false]);
});
