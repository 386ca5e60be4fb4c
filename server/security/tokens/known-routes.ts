/** A route of the server, as `app.get` names it. */
export interface KnownRoute {
  method: string;
  url: string;
}

/** All routes, from the tree that Fastify prints. */
export function readRoutes(tree: string): KnownRoute[] {
  const above: string[] = [];
  return tree.split("\n").flatMap((line) => {
    const [, indent = "", label = "", methods = ""] =
      /^((?:│ {3}| {4})*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    if (label === "") return [];
    const depth = indent.length / 4;
    above.length = depth;
    above[depth] = label === "(empty root node)" ? "" : label;
    const url = above.join("");
    return methods === "" ? [] : methods.split(", ").map((method) => ({ method, url }));
  });
}
