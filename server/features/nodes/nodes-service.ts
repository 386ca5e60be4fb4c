import { readAttributeValue } from "@miranda/contract/graph/attributes/attribute-value.ts";
import { bodyAttributes, newBody, newNodeAttributes, newNodeSource } from "@miranda/contract/graph/new-node.ts";
import { parseNodeApi } from "@miranda/contract/graph/attributes/node-api.ts";
import { classOfType, type NodeType } from "@miranda/contract/graph/node-classes.ts";
import { withPolicyReceivers } from "@miranda/contract/graph/policy-fields.ts";
import { isRecord } from "@miranda/contract/json.ts";
import { node as limits } from "@miranda/contract/limits.ts";
import type { Attribute, PatchAttributeBody } from "@miranda/contract/schemas/attributes.ts";
import type { ChangedAttribute, ChangedNode } from "@miranda/contract/schemas/changes.ts";
import { jsonLength } from "@miranda/contract/schemas/forms.ts";
import type {
  CreateNodeBody,
  Node,
  PatchComputePolicyBody,
  PatchNodeBody,
  PutNodeApiBody,
  WobType,
} from "@miranda/contract/schemas/nodes.ts";

import type { ProjectAccess } from "@miranda/contract/schemas/projects.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { newId } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import { storable } from "../../platform/database/storable-json.ts";
import type { Declarations } from "../declarations/declarations-service.ts";
import { toNode } from "../../model/graph-rows.ts";
import { graphFiles } from "../../model/graph-files-queries.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import type { Right } from "../projects/projects-service.ts";
import type { GraphChanges, Outcome } from "./graph-changes-service.ts";
import { fieldsOf, type PolicyFields } from "./node-patch.ts";
import { codeUpdate, declaredOnly, edgesAt, partOf, sizeOf, storeCodes, storedApi } from "./node-code-service.ts";
import { asJson, nodeQueries, type NodeRow, type NodeUpdate, permittedNodeQueries } from "./nodes-queries.ts";

export type Nodes = ReturnType<typeof createNodes>;

type FoundNode = NodeRow & { access: ProjectAccess | null };
type PermittedNode = NodeRow & { access: ProjectAccess };

/** Stored in the same transaction as a change of a node, or not at all. */
export type Alongside = (trx: Db, after: NodeRow, before: NodeRow) => Promise<void>;

interface Dependencies {
  db: Db;
  graphs: Graphs;
  changes: GraphChanges;
  declarations: Pick<Declarations, "declare">;
}

export function createNodes({ db, graphs, changes, declarations }: Dependencies) {
  const permittedQueries = permittedNodeQueries(db, graphs);

  function permitted(row: FoundNode | undefined, right: Right): PermittedNode {
    // A node in a hidden graph must look the same as one that does not exist.
    if (!row?.access) throw new AppError("node_not_found");
    const { access } = row;
    if (right !== "read" && access === "viewer") throw new AppError("graph_read_only");
    return { ...row, access };
  }

  async function getNode(caller: Caller, metadataId: number, right: Right): Promise<PermittedNode> {
    const { accountId, isAdmin, onlyProject } = caller;
    return permitted(await permittedQueries.findByNumber({ key: metadataId, accountId, isAdmin, onlyProject }), right);
  }

  /** Changes a node that exists and is not locked, inside its graph's transaction. */
  async function changeNode<Answer>(
    caller: Caller,
    { metadata_id, graph_id }: NodeRow,
    work: (queries: ReturnType<typeof nodeQueries>, row: NodeRow, trx: Db) => Promise<Outcome<Answer>>,
    unlocks = false,
  ): Promise<Answer & { revision: number }> {
    return changes.commit(caller, graph_id, async (trx) => {
      const inside = nodeQueries(trx);
      const row = await inside.find(metadata_id);
      if (!row) throw new AppError("node_not_found");
      if (row.locked && !unlocks) throw new AppError("node_locked");
      return work(inside, row, trx);
    });
  }

  /** An update whose event carries the changed fields. */
  async function updateNode(
    caller: Caller,
    node: NodeRow,
    change: (row: NodeRow) => NodeUpdate,
    shown: readonly (keyof Node)[],
    unlocks = false,
    alongside?: Alongside,
  ): Promise<ChangedNode> {
    return changeNode(
      caller,
      node,
      async (inside, row, trx) => {
        const updated = await inside.update(row.metadata_id, caller.accountId, change(row));
        await alongside?.(trx, updated, row);
        await graphs.room.refuseTooLarge(trx, row.graph_id, sizeOf(updated) - sizeOf(row));
        // New attributes change the texts of the edges at them.
        const edges = shown.includes("source_code") ? await edgesAt(inside, updated) : undefined;
        return {
          answer: toNode(updated, false),
          change: (reader) => ({ nodes: [partOf(updated, shown, reader)], ...(edges?.length && { edges }) }),
        };
      },
      unlocks,
    );
  }

  async function patch(caller: Caller, node: NodeRow, given: PatchNodeBody & PolicyFields): Promise<ChangedNode> {
    const shown = Object.keys(given).filter((key): key is keyof Node => key in toNode(node, true));
    const all: (keyof Node)[] = [...shown, "body", "update_policy"];
    return updateNode(caller, node, (row) => fieldsOf(row, given), all, given.locked === false);
  }

  return {
    getNode,
    updateNode,

    async read(caller: Caller, metadataId: number, type: WobType | undefined): Promise<Node> {
      if (type === "PROJECT" || type === "GRAPH") throw new AppError("wrong_wob_type");
      const row = await getNode(caller, metadataId, "read");
      if (type && classOfType[type] !== row.class) throw new AppError("node_not_found");
      return toNode(row, row.access === "viewer");
    },

    async create(caller: Caller, type: NodeType, body: CreateNodeBody): Promise<ChangedNode> {
      const { project_id: graphId, name, description, position = { x: 0, y: 0 } } = body;
      await graphs.getGraph(caller, graphId, "write");
      const kind = classOfType[type];
      const isCode = kind === "Code_block";
      const attributes = isCode ? withPolicyReceivers(newNodeAttributes) : bodyAttributes(kind);
      return changes.commit(caller, graphId, async (trx) => {
        const row = await nodeQueries(trx).insert({
          id: newId(),
          graph_id: graphId,
          class: kind,
          name,
          description,
          ...position,
          colour: null,
          api: asJson({ compiled: true, error: null, disabled: false, attributes }),
          body: isCode ? null : asJson(newBody[kind]),
          source_code: isCode ? newNodeSource(name) : "",
          git: null,
          git_branch: null,
          status: null,
          update_policy: null,
          updated_by: caller.accountId,
          template_id: null,
          template_ref: null,
          template_version: null,
        });
        await graphs.room.refuseTooMany(trx, graphId);
        await graphs.room.refuseTooLarge(trx, graphId, sizeOf(row));
        return { answer: toNode(row, false), change: (reader) => ({ nodes: [toNode(row, reader)] }) };
      });
    },

    async patch(caller: Caller, metadataId: number, given: PatchNodeBody): Promise<ChangedNode> {
      return patch(caller, await getNode(caller, metadataId, "write"), given);
    },

    async patchComputePolicy(caller: Caller, id: string, given: PatchComputePolicyBody): Promise<ChangedNode> {
      const { accountId, isAdmin, onlyProject } = caller;
      const row = permitted(await permittedQueries.findByUuid({ key: id, accountId, isAdmin, onlyProject }), "write");
      if (row.class !== "compute_policy") throw new AppError("not_compute_policy");
      return patch(caller, row, given);
    },

    /** Wrong code is stored, with the last good attributes and the error. */
    async putApi(
      caller: Caller,
      metadataId: number,
      { source_code, api }: PutNodeApiBody,
      alongside?: Alongside,
    ): Promise<ChangedNode> {
      const node = await getNode(caller, metadataId, "write");
      if (node.class !== "Code_block") throw new AppError("node_has_no_code");
      const given = api?.attributes;
      const names = given?.map((attribute) => attribute.name) ?? [];
      if (new Set(names).size < names.length) throw new AppError("attribute_twice");
      const [declared] = given ? [] : await declarations.declare(caller, [{ name: node.name, source_code }]);
      return updateNode(
        caller,
        node,
        (row) => {
          if (declared) return codeUpdate(row, source_code, declared, api?.disabled);
          const before = parseNodeApi(row.api);
          const error = api?.error ?? null;
          const compiled = api?.compiled ?? error === null;
          const attributes = withPolicyReceivers((given ?? []).map(declaredOnly));
          return {
            source_code,
            api: storedApi({ compiled, error, disabled: api?.disabled ?? before.disabled, attributes }),
          };
        },
        ["source_code", "api", "last_updated"],
        false,
        alongside,
      );
    },

    /** Stores new code for several nodes in a caller's transaction. The caller calls `publish` after it. */
    async storeCodes(trx: Db, caller: Caller, graphId: string, codes: Parameters<typeof storeCodes>[3]) {
      const revision = await changes.nextRevision(trx, graphId, caller);
      const { rows, change } = await storeCodes(trx, caller, { graphId, room: graphs.room }, codes);
      return { rows, publish: () => changes.publish(caller, graphId, revision, change) };
    },

    async setDisabled(caller: Caller, metadataId: number, disabled: boolean): Promise<ChangedNode> {
      const node = await getNode(caller, metadataId, "write");
      return updateNode(caller, node, (row) => ({ api: asJson({ ...parseNodeApi(row.api), disabled }) }), ["api"]);
    },

    async setAttribute(
      caller: Caller,
      metadataId: number,
      name: string,
      { attribute_value, unset }: PatchAttributeBody,
    ): Promise<ChangedAttribute> {
      const node = await getNode(caller, metadataId, "write");
      return changeNode(caller, node, async (inside, row, trx) => {
        const value = unset ? undefined : settable(row, name, attribute_value);
        const isFile = attributeOf(row, name)?.control?.type === "file";
        const file = isFile && isRecord(value) ? value["file"] : undefined;
        if (typeof file === "string") {
          const brought = await graphFiles(trx).bring(caller, graphs.accessExpression, row.graph_id, [file]);
          if (!brought.has(file)) throw new AppError("file_not_found");
        }
        if (unset && !attributeOf(row, name)) throw new AppError("attribute_not_found");
        const updated = unset
          ? await inside.unsetValue(metadataId, caller.accountId, name)
          : await inside.setValue(metadataId, caller.accountId, name, value);
        await graphs.room.refuseTooLarge(trx, row.graph_id, jsonLength(value));
        return {
          answer: valueOf(updated, name, false),
          change: (reader) => ({ attributes: [valueOf(updated, name, reader)] }),
        };
      });
    },

    async setTag(caller: Caller, metadataId: number, tag: string, isSet: boolean): Promise<{ revision: number }> {
      const node = await getNode(caller, metadataId, "write");
      const { revision } = await updateNode(
        caller,
        node,
        (row) => {
          const tags = row.tags.filter((one) => one !== tag);
          const { [tag]: _removed, ...users } = row.tag_users;
          if (!isSet) return { tags, tag_users: asJson(users) };
          if (tags.length >= limits.tagsMax) throw new AppError("too_many_tags");
          return { tags: [...tags, tag], tag_users: asJson({ ...users, [tag]: caller.accountId }) };
        },
        ["tags"],
      );
      return { revision };
    },

    /** Forgets nodes that were deleted a day ago, together with what `alsoForget` removes of them. */
    async *sweep(alsoForget: (trx: Db, metadataIds: number[]) => Promise<void>): AsyncGenerator<void> {
      for (let count = 1; count > 0;) {
        count = await db.transaction().execute(async (trx) => {
          const forgotten = await nodeQueries(trx).forgetDeleted();
          await alsoForget(trx, forgotten);
          return forgotten.length;
        });
        yield;
      }
    },
  };
}

function attributeOf(row: NodeRow, name: string, reader = false): Attribute | undefined {
  return toNode(row, reader).api.attributes.find((attribute) => attribute.name === name);
}

function settable(row: NodeRow, name: string, given: unknown): unknown {
  const attribute = attributeOf(row, name);
  if (!attribute) throw new AppError("attribute_not_found");
  const isPolicy = attribute.kind === "compute_policy" || attribute.kind === "storage_policy";
  if (isPolicy || !attribute.direction.endsWith("_FIELD")) throw new AppError("attribute_from_edge");
  const read = readAttributeValue(attribute, given);
  if ("refusal" in read) throw new AppError("wrong_value", read.refusal);
  return storable(read.value);
}

function valueOf(row: NodeRow, name: string, reader: boolean) {
  const attribute = attributeOf(row, name, reader);
  return {
    metadata_id: row.metadata_id,
    name,
    value: attribute?.value ?? null,
    ...(attribute && "default" in attribute && { default: attribute.default }),
  };
}
