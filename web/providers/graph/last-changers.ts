import { edgeKey } from "@miranda/contract/graph/edge-key.ts";
import type { GraphPart } from "@miranda/contract/graph/graph-part.ts";
import type { GraphChange } from "@miranda/contract/schemas/changes.ts";

export type LastChangers = ReturnType<typeof createLastChangers>;

/** Who else changed a part of the graph last, as far as this browser saw it. */
export function createLastChangers(me: () => string | undefined) {
  const others = new Map<string, { by: string; at: number }>();
  const ownCode = new Set<number>();
  let count = 0;

  return {
    note(change: GraphChange): void {
      if (change.by === me()) {
        for (const { metadata_id, source_code } of change.nodes ?? [])
          if (source_code !== undefined) ownCode.add(metadata_id);
        return;
      }
      count += 1;
      for (const key of keysOfChange(change)) others.set(key, { by: change.by, at: count });
    },
    /** The changes that came with a reload are unknown. */
    forgetOwn: () => ownCode.clear(),
    /** Undefined when nobody was seen to change any of the parts. */
    of(parts: readonly GraphPart[]): string | undefined {
      const found = parts.flatMap(keysOfPart).flatMap((key) => others.get(key) ?? []);
      return found.toSorted((one, other) => other.at - one.at)[0]?.by;
    },
    isOwnCode: (id: number) => ownCode.has(id) && !others.has(fieldKey(id, "source_code")),
  };
}

const fieldKey = (id: number | string, field: string) => `field ${id} ${field}`;
const valueKey = (id: number, name: string) => `value ${id} ${name}`;
const nodeKey = (id: number) => `node ${id}`;
const groupKey = (id: string) => `group ${id}`;

function keysOfChange(change: GraphChange): string[] {
  return [
    ...(change.nodes ?? []).flatMap(({ metadata_id, ...fields }) =>
      Object.keys(fields).map((field) => fieldKey(metadata_id, field)),
    ),
    ...(change.attributes ?? []).map(({ metadata_id, name }) => valueKey(metadata_id, name)),
    ...Object.keys(change.positions ?? {}).map((id) => fieldKey(id, "position")),
    ...Object.keys(change.disabled ?? {}).map((id) => fieldKey(id, "disabled")),
    ...(change.deleted_nodes ?? []).map(nodeKey),
    ...[...(change.edges ?? []), ...(change.deleted_edges ?? [])].map(edgeKey),
    ...(change.groups ?? []).map(({ id }) => groupKey(id)),
    ...(change.deleted_groups ?? []).map(groupKey),
  ];
}

/** The api of a node, when it is sent whole, has its values and whether it is disabled. */
function keysOfPart(part: GraphPart): string[] {
  switch (part.type) {
    case "node":
      return [nodeKey(part.id)];
    case "value":
      return [valueKey(part.id, part.name), fieldKey(part.id, "api")];
    case "edge":
      return [edgeKey(part.ends)];
    case "group":
      return [groupKey(part.id)];
    case "field":
      if (part.field === "disabled") return [fieldKey(part.id, "disabled"), fieldKey(part.id, "api")];
      return [fieldKey(part.id, part.field === "code" ? "source_code" : part.field)];
  }
}
