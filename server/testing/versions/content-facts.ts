import type { VersionContent } from "../../features/versions/version-content.ts";

/** What is true of a content, as facts with a value each. Layout, numbers and what follows from the code are left out. */
export type Facts = ReadonlyMap<string, string>;

export function factsOf({ nodes, edges, groups }: VersionContent): Facts {
  const facts = new Map<string, string>();
  const add = (value: unknown, ...name: string[]): void => void facts.set(name.join(" "), JSON.stringify(value));
  for (const [lineage, node] of nodes) {
    add(true, "node", lineage);
    const { name, description, colour, locked, source_code, api, values, tags, body } = node;
    const fields = { name, description, colour, locked, source_code, disabled: api.disabled };
    for (const [field, value] of Object.entries(fields)) add(value, "node", lineage, field);
    for (const [field, value] of Object.entries(values)) add(value, "node", lineage, "value", field);
    for (const [field, value] of Object.entries(body ?? {})) add(value, "node", lineage, "body", field);
    for (const tag of tags) add(true, "node", lineage, "tag", tag);
  }
  for (const [key, { label }] of edges) {
    add(true, "edge", key);
    add(label, "edge", key, "label");
  }
  for (const [lineage, { name, colour, members }] of groups) {
    add(true, "group", lineage);
    add(name, "group", lineage, "name");
    add(colour, "group", lineage, "colour");
    for (const member of members) add(true, "group", lineage, "member", member);
  }
  return facts;
}
