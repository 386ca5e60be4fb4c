import { createRequire } from "node:module";
import path from "node:path";

// Starts pyright's language server inside Node's permission model, which makes the path module read-only. Pyright
// modifies objects that inherit from it and would fail, so it gets a module of its own. Node's checks keep the
// original.
const require = createRequire(import.meta.url);
const posix = { ...path.posix };
const win32 = { ...path.win32 };
const own = Object.assign(path.sep === "/" ? posix : win32, { posix, win32 });
require.cache["path"] = Object.assign(Object.create(null), { id: "path", loaded: true, exports: own });
require(process.argv[2] ?? "");
