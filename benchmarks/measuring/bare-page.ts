import { once } from "node:events";
import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { build } from "vite";

const types: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

/** Builds a page of the benchmarks into a folder, and serves that folder. */
export async function startBarePage(page: string, folder: string): Promise<{ url: string; close: () => void }> {
  await build({
    configFile: false,
    root: resolve(import.meta.dirname, "..", page),
    base: "./",
    logLevel: "error",
    build: { outDir: folder, target: "es2022", emptyOutDir: false },
  });
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const file = join(folder, path === "/" ? "index.html" : path);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(file)] ?? "text/plain" });
    return createReadStream(file).pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}
