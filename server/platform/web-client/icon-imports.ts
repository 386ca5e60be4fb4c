import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

const list = /import \{([^}]+)\} from "lucide-react";/g;
const exported = /export \{([^}]+)\} from '\.\/(icons\/[\w-]+)\.mjs'/g;

/**
 * Imports each icon from its own file. Through the package's list of all icons, the bundler would take every icon for
 * needed by every screen that has one.
 */
export function iconImports(): Plugin {
  let files: ReadonlyMap<string, string>;
  return {
    name: "miranda-icon-imports",
    apply: "build",
    enforce: "pre",
    buildStart: () => void (files = readFiles()),
    transform(code, id) {
      if (!/\.tsx?$/.test(id) || !code.includes('from "lucide-react"')) return null;
      return { code: code.replace(list, (_all, names: string) => importEach(names, files)), map: null };
    },
  };
}

/** The file of each exported name. */
function readFiles(): Map<string, string> {
  const main = createRequire(import.meta.url).resolve("lucide-react");
  const text = readFileSync(join(dirname(main), "..", "esm", "lucide-react.mjs"), "utf8");
  const files = new Map<string, string>();
  for (const [, names = "", file = ""] of text.matchAll(exported))
    for (const [, name = ""] of names.matchAll(/default as (\w+)/g)) files.set(name, `lucide-react/${file}`);
  if (files.size === 0) throw new Error("The icons of lucide-react were not found.");
  return files;
}

/** On one line: the lines of the source stay where they are. */
function importEach(names: string, files: ReadonlyMap<string, string>): string {
  const imports = names.split(",").map((part) => {
    const [name = "", own = name] = part.trim().split(/\s+as\s+/);
    if (name === "" || name.startsWith("type ")) return "";
    const file = files.get(name);
    return file ? `import ${own} from "${file}";` : `import { ${name} as ${own} } from "lucide-react";`;
  });
  return imports.join(" ");
}
