import { enableCompileCache } from "node:module";
import { dirname, join, resolve } from "node:path";

import { findBundle } from "./bundle/find-bundle.ts";
import { nameSourceLines } from "./bundle/source-lines.ts";

const root = resolve(import.meta.dirname, "..");
enableCompileCache(join(root, "dist", "compiled"));
const bundle = await findBundle(root, (line) => process.stdout.write(`${line}\n`));
if (bundle !== undefined) nameSourceLines(dirname(bundle));
await import(bundle ?? "./serve.ts");
