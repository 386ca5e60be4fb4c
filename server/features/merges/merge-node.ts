import { isRecord } from "@miranda/contract/json.ts";
import { node as limits } from "@miranda/contract/limits.ts";
import type { CompareBudget, TextPiece } from "@miranda/contract/text/merge-text.ts";
import type { VersionNode } from "@miranda/contract/schemas/versions.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import { bodiesFit, samePosition, sameContent } from "../versions/compare/node-settings.ts";
import type { Decisions, ReadValue } from "./decisions.ts";
import { mergeLines } from "./text-merge.ts";
import { mergeMembers, threeWay } from "./three-way.ts";
import { checkedBody, written, writtenValue } from "./written-values.ts";

/** A node that is on both sides. */
export interface NodeSides {
  base: VersionNode | undefined;
  theirs: VersionNode;
  mine: VersionNode;
}

/** Merges a node field by field. */
export function mergeNode(sides: NodeSides, { decide }: Decisions, budget: CompareBudget): VersionNode {
  const { base, theirs, mine } = sides;
  const isMovedThere = base !== undefined && samePosition(base, mine) && !samePosition(theirs, mine);
  const position = isMovedThere ? theirs.position : mine.position;
  // Most nodes of a large workflow are like this. The same object is not compared again later.
  if (sameContent(theirs, base ?? mine)) return position === mine.position ? mine : { ...mine, position };
  const about = { lineage: mine.lineage, name: mine.name };

  function field<Value>(
    kind: "value" | "setting",
    name: string,
    of: (node: VersionNode) => Value,
    read?: ReadValue<Value>,
  ): Value {
    const values = { base: base && { value: of(base) }, theirs: of(theirs), mine: of(mine) };
    return threeWay(values, () => decide({ ...values, ...about, kind, field: name, base: values.base?.value }, read));
  }
  const setting = <Value>(name: string, of: (node: VersionNode) => Value, read?: ReadValue<Value>): Value =>
    field("setting", name, of, read);

  const source_code = mergeSource(sides, decide, budget);
  const { names, entriesOf } = recordsOf(sides, ({ values }) => values);
  const values = names.map((name) => {
    const read = writtenValue(name, [mine.api, theirs.api]);
    return [name, field("value", name, (node) => entriesOf(node).get(name), read)] as const;
  });
  const disabled = setting("disabled", ({ api }) => api.disabled, written.yesOrNo("disabled"));
  return {
    ...mine,
    source_code,
    values: Object.fromEntries(values.filter(([, value]) => value !== undefined)),
    name: setting("name", (node) => node.name, written.name),
    description: setting("description", (node) => node.description, written.description),
    order: setting("order", (node) => node.order, written.order),
    colour: setting("colour", (node) => node.colour, written.colour),
    locked: setting("locked", (node) => node.locked, written.yesOrNo("locked")),
    git: setting("git", (node) => node.git, written.git),
    git_branch: setting("git_branch", (node) => node.git_branch, written.gitBranch),
    tags: mergeTags(sides),
    body: mergeBody(sides, setting),
    api: { ...mergeApi(sides, source_code), disabled },
    position,
    ...mergeLink(sides, setting),
  };
}

type MergeSetting = <Value>(name: string, of: (node: VersionNode) => Value, read?: ReadValue<Value>) => Value;

function mergeSource({ base, theirs, mine }: NodeSides, decide: Decisions["decide"], budget: CompareBudget): string {
  const pieces = mergeLines(base?.source_code, theirs.source_code, mine.source_code, budget);
  let hunk = 0;
  let code = "";
  for (const [at, piece] of pieces.entries()) {
    const text =
      typeof piece === "string"
        ? piece
        : decide(
            {
              kind: "code",
              lineage: mine.lineage,
              name: mine.name,
              field: String(++hunk),
              around: { before: lastLines(pieces[at - 1]), after: firstLines(pieces[at + 1]) },
              ...piece,
            },
            written.code,
          );
    // A person may write a last line without a line end. The next line must not be joined to it.
    code += code === "" || code.endsWith("\n") || text === "" ? text : `\n${text}`;
  }
  if (code.length > limits.sourceCodeMax) throw new AppError("code_too_long");
  return code;
}

const linesAround = 3;

function lastLines(piece: TextPiece | undefined): string {
  if (typeof piece !== "string") return "";
  let end = piece.endsWith("\n") ? piece.length - 1 : piece.length;
  for (let lines = 0; lines < linesAround; lines++) {
    end = end <= 0 ? -1 : piece.lastIndexOf("\n", end - 1);
    if (end < 0) return piece;
  }
  return piece.slice(end + 1);
}

function firstLines(piece: TextPiece | undefined): string {
  if (typeof piece !== "string") return "";
  let at = 0;
  for (let lines = 0; lines < linesAround && at < piece.length; lines++) {
    const end = piece.indexOf("\n", at);
    at = end < 0 ? piece.length : end + 1;
  }
  return piece.slice(0, at);
}

/** Set values or settings by name. A Map, because a name such as `constructor` is no property here. */
function recordsOf({ base, theirs, mine }: NodeSides, of: (node: VersionNode) => Readonly<Record<string, unknown>>) {
  const entries = new Map([base, theirs, mine].flatMap((node) => (node ? [[node, toMap(of(node))] as const] : [])));
  const entriesOf = (node: VersionNode): ReadonlyMap<string, unknown> => entries.get(node) ?? new Map();
  const names = [...new Set([...entriesOf(mine).keys(), ...entriesOf(theirs).keys()])];
  return { names, entriesOf };
}

function toMap(record: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(record));
}

function mergeTags({ base, theirs, mine }: NodeSides): string[] {
  const knows = (): boolean => true;
  return mergeMembers(base?.tags ?? [], { members: theirs.tags, knows }, { members: mine.tags, knows });
}

/** The settings of a policy one by one. Those of different kinds of storage would not fit together. */
function mergeBody(sides: NodeSides, setting: MergeSetting): unknown {
  const { base, theirs, mine } = sides;
  const fits = bodiesFit(theirs.body, mine.body) && (!base || bodiesFit(base.body, mine.body));
  if (!fits)
    return setting(
      "body",
      (node) => node.body ?? null,
      (given) => checkedBody(mine.class, given),
    );
  const { names, entriesOf } = recordsOf(sides, ({ body }) => (isRecord(body) ? body : {}));
  const merged = names.map((name) => {
    const read = (given: unknown): unknown => {
      const body = checkedBody(mine.class, { ...Object.fromEntries(entriesOf(mine)), [name]: given });
      return isRecord(body) ? body[name] : undefined;
    };
    return [name, setting(`body.${name}`, (node) => entriesOf(node).get(name), read)] as const;
  });
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

/** What the code declares. Code that neither side had is read again when the merge is stored. */
function mergeApi({ theirs, mine }: NodeSides, code: string): VersionNode["api"] {
  return code !== mine.source_code && code === theirs.source_code ? theirs.api : mine.api;
}

/** The link to the template. A clone has none when its owner may not read the template, so a missing link is no edit. */
function mergeLink({ base, theirs, mine }: NodeSides, setting: MergeSetting) {
  if (!theirs.template || !mine.template) return { template: mine.template, update_policy: mine.update_policy };
  const [there, here] = [theirs.template, mine.template];
  const links = { base: base && { value: base.template }, theirs: there, mine: here };
  return {
    template: threeWay<VersionNode["template"]>(links, () => (there.version > here.version ? there : here)),
    update_policy: setting("update_policy", (node) => node.update_policy, written.updatePolicy),
  };
}

/** Whether somebody changed the node since the common version, other than by moving it. */
export function isEdited(base: VersionNode, node: VersionNode): boolean {
  const { template, update_policy } = node.template ? node : base;
  return !sameContent(base, { ...node, template, update_policy });
}
