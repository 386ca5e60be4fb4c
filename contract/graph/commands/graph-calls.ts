import type { EdgeEnds } from "../../schemas/nodes.ts";
import type { GraphCalls, GroupFields, NodeFields } from "./command.ts";

type FormFields = Record<string, string | number | boolean | null | undefined>;

/** Sends a form to the server and answers its JSON. Rejects when the server refuses. */
type Call = <Result>(
  path: string,
  request: { method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; fields?: FormFields },
) => Promise<Result>;

/** The calls that commands make, for one graph. Browsers and tests each pass their own way to call the server. */
export function createGraphCalls(graphId: string, call: Call): GraphCalls {
  const graph = `/api/v3/graphs/${graphId}`;
  const edges = "/api/v3/objects/edges";
  return {
    patchNode(node, { body, ...rest }) {
      // A compute policy has an address of its own, by its id. Every other node is named by its metadata_id. The body of a
      // compute policy is flat, so it is a form; the type of a node does not say so.
      return node.class === "compute_policy"
        ? call(`/api/v3/compute_policies/${node.id}`, {
            method: "PATCH",
            fields: { ...nodeForm(rest), ...(body as FormFields) },
          })
        : call(object(node.metadata_id), {
            method: "PATCH",
            fields: { ...nodeForm(rest), ...(body !== undefined && { body: JSON.stringify(body) }) },
          });
    },
    deleteNode: (metadataId) => call(object(metadataId), { method: "DELETE" }),
    putPosition: (metadataId, position) =>
      call(`/api/v3/designer/${graphId}/nodes/${metadataId}`, {
        method: "PUT",
        fields: { position: JSON.stringify(position) },
      }),
    putPositions: (positions) =>
      call(`${graph}/positions`, { method: "POST", fields: { positions: JSON.stringify(positions) } }),
    setAttribute: (metadataId, name, value, isJson = false) =>
      call(attribute(metadataId, name), {
        method: "PATCH",
        fields: { attribute_value: typeof value === "string" && !isJson ? value : JSON.stringify(value) },
      }),
    unsetAttribute: (metadataId, name) =>
      call(attribute(metadataId, name), { method: "PATCH", fields: { unset: true } }),
    setDisabled: (metadataId, disabled) =>
      call(`${object(metadataId)}/api`, { method: "PATCH", fields: { api: JSON.stringify({ disabled }) } }),
    setTag: (metadataId, tag, isSet) =>
      call(`${object(metadataId)}/tags`, { method: isSet ? "POST" : "DELETE", fields: { tag } }),
    changeMany: (changes) => call(`${graph}/nodes`, { method: "PATCH", fields: { changes: JSON.stringify(changes) } }),

    createEdge: (ends) => call(edges, { method: "POST", fields: edgeForm(ends) }),
    putEdge: (ends, { segments, label }) =>
      call(edges, {
        method: "PUT",
        fields: { ...edgeForm(ends), segments: segments && JSON.stringify(segments), label },
      }),
    deleteEdge: (ends) => call(edges, { method: "DELETE", fields: edgeForm(ends) }),

    deleteMany: (part) =>
      call(`${graph}/delete`, {
        method: "POST",
        fields: {
          metadata_ids: JSON.stringify(part.ids),
          edges: JSON.stringify(part.edges.map(edgeForm)),
          groups: JSON.stringify(part.groups),
        },
      }),
    restore: (part) =>
      call(`${graph}/restore`, {
        method: "POST",
        fields: {
          metadata_ids: JSON.stringify(part.ids),
          edges: JSON.stringify(
            part.edges.map((edge) => ({ ...edgeForm(edge), segments: edge.segments, label: edge.label ?? "" })),
          ),
          groups: JSON.stringify(part.groups),
        },
      }),

    createGroup: (fields) => call(`${graph}/groups`, { method: "POST", fields: groupForm(fields) }),
    patchGroup: (id, fields) => call(`${graph}/groups/${id}`, { method: "PATCH", fields: groupForm(fields) }),
    deleteGroup: (id) => call(`${graph}/groups/${id}`, { method: "DELETE" }),

    restoreVersion: (version, nodes) =>
      call(`${graph}/versions/${version}/restore`, {
        method: "POST",
        fields: nodes ? { nodes: JSON.stringify(nodes) } : {},
      }),
    versionGraph: (version) => call(`${graph}/versions/${version}/graph`, { method: "GET" }),
  };
}

const object = (metadataId: number) => `/api/v3/objects/${metadataId}`;
const attribute = (metadataId: number, name: string) => `${object(metadataId)}/attributes/${encodeURIComponent(name)}`;

function edgeForm(ends: EdgeEnds) {
  return {
    from_id: ends.source_wob_key,
    to_id: ends.destination_wob_key,
    transmitter_key: ends.source_transmitter_key,
    receiver_key: ends.destination_receiver_key,
  };
}

/** A form has no null: an empty text clears the field. */
function nodeForm({ colour, git, git_branch, ...rest }: Omit<NodeFields, "body">): FormFields {
  return {
    ...rest,
    ...(colour !== undefined && { colour: colour ?? "" }),
    ...(git !== undefined && { git: git ?? "" }),
    ...(git_branch !== undefined && { git_branch: git_branch ?? "" }),
  };
}

function groupForm({ colour, metadata_ids, ...rest }: GroupFields): FormFields {
  return {
    ...rest,
    ...(colour !== undefined && { colour: colour ?? "" }),
    ...(metadata_ids && { metadata_ids: JSON.stringify(metadata_ids) }),
  };
}
