import { bodySchemas, isBodyClass } from "@miranda/contract/schemas/node-bodies.ts";
import { isGitBranch, parseGitAddress, withoutCredentials } from "@miranda/contract/graph/git-address.ts";
import { bodyAttributes, newBody } from "@miranda/contract/graph/new-node.ts";
import { withPolicyReceivers } from "@miranda/contract/graph/policy-fields.ts";
import { errors } from "@miranda/contract/errors.ts";
import type { NodeApi } from "@miranda/contract/schemas/attributes.ts";
import type { VersionGroup, VersionNode } from "@miranda/contract/schemas/versions.ts";

import { AppError } from "../../../platform/errors/app-error.ts";
import type { Declare } from "../../declarations/declarations-service.ts";
import type { VersionContent } from "../../versions/version-content.ts";
import type { FolderContentNode, ReadFolder } from "./read-folder.ts";
import { tomlName } from "./workflow-toml.ts";

// Between nodes that `[layout]` does not name, and beside all others.
const gap = { x: 400, y: 200 };

/**
 * The content of a folder as a version. What is not in a folder, such as the link to a template, comes from the node of
 * the same lineage in the first of `known` that has it: so a folder that nobody edited changes nothing.
 */
export async function completeContent(
  folder: ReadFolder,
  known: readonly VersionContent[],
  declare: Declare,
): Promise<VersionContent> {
  const apis = await readApis(folder.nodes, known, declare);
  const places = freePlaces(folder.nodes);
  const nodes = folder.nodes.map((node): VersionNode => {
    const { key, disabled, isPlaced, ...fields } = node;
    const before = first(known, ({ nodes: there }) => there.get(node.lineage));
    const api = { ...(apis.get(node.lineage) ?? before?.api ?? noApi), disabled };
    return {
      ...fields,
      metadata_id: before?.metadata_id ?? 0,
      position: isPlaced ? node.position : (places.get(key) ?? node.position),
      api,
      values: withoutSecrets(node.values, api),
      body: bodyOf(node, before?.body),
      ...repositoryOf(node),
      update_policy: before?.update_policy ?? null,
      template: before?.template ?? null,
    };
  });
  const groups = [...folder.groups.values()].map((group) => inKnownOrder(group, known));
  return {
    nodes: new Map(nodes.map((node) => [node.lineage, node])),
    edges: folder.edges,
    groups: new Map(groups.map((group) => [group.lineage, group])),
  };
}

const noApi: NodeApi = { compiled: true, error: null, disabled: false, attributes: [] };

function first<Found>(
  known: readonly VersionContent[],
  find: (content: VersionContent) => Found | undefined,
): Found | undefined {
  for (const content of known) {
    const found = find(content);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Reads what code declares, except where a known node has the same code. */
async function readApis(
  nodes: readonly FolderContentNode[],
  known: readonly VersionContent[],
  declare: Declare,
): Promise<ReadonlyMap<string, NodeApi>> {
  const apis = new Map<string, NodeApi>();
  const unread: FolderContentNode[] = [];
  for (const node of nodes) {
    const same = first(known, (content) => {
      const there = content.nodes.get(node.lineage);
      return there?.source_code === node.source_code && there.class === node.class ? there : undefined;
    });
    if (same) apis.set(node.lineage, same.api);
    else if (node.class === "Code_block") unread.push(node);
    else if (isBodyClass(node.class)) apis.set(node.lineage, { ...noApi, attributes: bodyAttributes(node.class) });
  }
  const declared = await declare(unread.map(({ name, source_code }) => ({ name, source_code })));
  unread.forEach((node, at) => {
    const { compiled, error, attributes } = declared[at] ?? noApi;
    // Wrong code keeps the attributes that it had, so that its edges and values stay.
    const before = first(known, (content) => content.nodes.get(node.lineage))?.api.attributes;
    const usable = error === null ? attributes : (before ?? attributes);
    apis.set(node.lineage, { compiled, error, disabled: false, attributes: withPolicyReceivers(usable) });
  });
  return apis;
}

/** Values of secret controls are never part of a version, and a file must not set them. */
function withoutSecrets(values: Record<string, unknown>, { attributes }: NodeApi): Record<string, unknown> {
  const secret = new Set(attributes.filter(({ control }) => control?.type === "secret").map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => !secret.has(name)));
}

function bodyOf(node: FolderContentNode, before: unknown): unknown {
  if (!isBodyClass(node.class)) return null;
  if (node.body === null) return before === undefined ? newBody[node.class] : before;
  const parsed = bodySchemas[node.class].safeParse(node.body);
  if (parsed.success) return parsed.data;
  throw invalid(`settings.${node.key}`, parsed.error.issues[0]?.message ?? "");
}

function repositoryOf({ key, git, git_branch }: FolderContentNode): Pick<VersionNode, "git" | "git_branch"> {
  const address = git === null ? undefined : parseGitAddress(git);
  if (address && "refusal" in address) throw invalid(`nodes.${key}.git`, errors[address.refusal]);
  if (git_branch !== null && !isGitBranch(git_branch)) throw invalid(`nodes.${key}.git_branch`, errors.git_branch);
  return { git: git && withoutCredentials(git), git_branch };
}

function invalid(place: string, words: string): AppError {
  return new AppError("workflow_files_invalid", `${tomlName}, ${place}: ${words} Nothing was imported.`);
}

/** Nodes without a place stand in a column of their own, so that they cover nothing. */
function freePlaces(nodes: readonly FolderContentNode[]): ReadonlyMap<string, { x: number; y: number }> {
  const placed = nodes.filter(({ isPlaced }) => isPlaced);
  const right = placed.reduce((most, { position }) => Math.max(most, position.x), -gap.x);
  const top = placed.reduce((least, { position }) => Math.min(least, position.y), placed.length > 0 ? Infinity : 0);
  const loose = nodes.filter(({ isPlaced }) => !isPlaced);
  return new Map(loose.map(({ key }, at) => [key, { x: right + gap.x, y: top + at * gap.y }]));
}

/** A folder sorts the members of a group. The order itself means nothing, so the known one stays. */
function inKnownOrder(group: VersionGroup, known: readonly VersionContent[]): VersionGroup {
  const before = first(known, ({ groups }) => groups.get(group.lineage));
  const members = new Set(group.members);
  const isSame = before?.members.length === members.size && before.members.every((member) => members.has(member));
  return isSame ? { ...group, members: before.members } : group;
}
