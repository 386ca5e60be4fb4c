import type { Broadcast } from "../../schemas/broadcasts.ts";
import type {
  Changed,
  ChangedAttribute,
  ChangedEdge,
  ChangedGroup,
  ChangedNode,
  NodeChange,
  PasteResponse,
} from "../../schemas/changes.ts";
import type { Edge, EdgeEnds, Node, NodeGroup, Position } from "../../schemas/nodes.ts";
import type { RestoredVersion, VersionGraph } from "../../schemas/versions.ts";
import type { GraphContent } from "../content.ts";
import type { GraphPart } from "../graph-part.ts";

/** The fields of a node that are changed in place. */
export type NodeFields = Partial<
  Pick<Node, "name" | "description" | "colour" | "body" | "locked" | "git" | "git_branch" | "update_policy">
>;
export interface EdgeDrawing {
  segments?: readonly Position[];
  label?: string;
}
export type GroupFields = Partial<Pick<NodeGroup, "name" | "colour" | "collapsed" | "metadata_ids">>;

/** The ids of nodes, edges and groups. */
export interface PartNames {
  ids: readonly number[];
  edges: readonly EdgeEnds[];
  groups: readonly string[];
}
/** What was deleted, in the form that restores it. */
export interface DeletedPart {
  ids: readonly number[];
  edges: readonly Edge[];
  groups: readonly NodeGroup[];
}

/** The commands and the data of each. */
export interface Commands {
  patch: { id: number; changes: NodeFields };
  move: { positions: Readonly<Record<string, Position>> };
  set: { id: number; name: string; value: unknown };
  unset: { id: number; name: string };
  /** Changes one node or many, by metadata_id: all of them, or none. */
  change: { changes: Readonly<Record<string, NodeChange>> };
  connect: { ends: EdgeEnds };
  disconnect: { ends: EdgeEnds };
  draw: { ends: EdgeEnds; drawing: EdgeDrawing };
  delete: PartNames;
  /** Brings back what was deleted: nodes by their numbers, and with them the edges that were deleted with them. */
  restore: DeletedPart & { nodes: readonly Node[] };
  group: { fields: GroupFields };
  regroup: { id: string; fields: GroupFields };
  /** Makes the workflow as it was in a version, or only some nodes: by lineage in `nodes`, or by number in `ids`. */
  restoreVersion: {
    version: string;
    nodes?: readonly string[];
    ids?: readonly number[];
    /** Nodes that the version does not have, and that are deleted. Only with `ids`. */
    added?: readonly number[];
    /** For an undo: the graph before what is undone. */
    was?: GraphContent;
  };
  several: { commands: readonly Command[] };
}

export type CommandType = keyof Commands;
export type CommandOf<Type extends CommandType> = { type: Type } & Commands[Type];
/** Everything a person does to a graph that can be undone. What creates nodes is undone by deleting them. */
export type Command = { [Type in CommandType]: CommandOf<Type> }[CommandType];

/** The calls that commands make. They are all about one graph. */
export interface GraphCalls {
  patchNode(node: Pick<Node, "id" | "metadata_id" | "class">, fields: NodeFields): Promise<ChangedNode>;
  deleteNode(metadataId: number): Promise<Changed>;
  putPosition(metadataId: number, position: Position): Promise<Changed>;
  putPositions(positions: Readonly<Record<string, Position>>): Promise<Changed>;
  /** `isJson`: the server reads a text in this field as JSON, so a text has to be sent as JSON. */
  setAttribute(metadataId: number, name: string, value: unknown, isJson?: boolean): Promise<ChangedAttribute>;
  unsetAttribute(metadataId: number, name: string): Promise<ChangedAttribute>;
  setDisabled(metadataId: number, disabled: boolean): Promise<Changed>;
  setTag(metadataId: number, tag: string, isSet: boolean): Promise<Changed>;
  changeMany(changes: Readonly<Record<string, NodeChange>>): Promise<Changed>;
  createEdge(ends: EdgeEnds): Promise<ChangedEdge>;
  putEdge(ends: EdgeEnds, drawing: EdgeDrawing): Promise<ChangedEdge>;
  deleteEdge(ends: EdgeEnds): Promise<Changed>;
  deleteMany(part: PartNames): Promise<Changed>;
  restore(part: DeletedPart): Promise<Pick<PasteResponse, "revision" | "nodes" | "edges" | "groups">>;
  createGroup(fields: GroupFields): Promise<ChangedGroup>;
  patchGroup(id: string, fields: GroupFields): Promise<Changed>;
  deleteGroup(id: string): Promise<Changed>;
  restoreVersion(version: string, nodes?: readonly string[]): Promise<RestoredVersion>;
  versionGraph(version: string): Promise<Pick<VersionGraph, "lineages">>;
}

/** The server's answer to a command. */
export interface Answer {
  revision: number;
  /** Applies what the server made of the command, when it differs from what was asked for. */
  settle?: (content: GraphContent) => GraphContent;
  /** The command that undoes this one, when it can only be derived from the answer. */
  inverse?: Command;
}

/** A command that undoes another one. */
export interface UndoPart {
  command: Command;
  /** The nodes, edges and groups that it is about, as the undone command left them. */
  left: GraphContent;
}

/** What an undo is compared with. */
export interface Since {
  now: GraphContent;
  left: GraphContent;
  /** Whether only this person changed the code of a node. Code has an undo of its own, so the history does not know. */
  isOwnCode: (id: number) => boolean;
}

/** A part that somebody else changed or deleted, so that it is not undone. */
export interface Skipped {
  part: GraphPart;
  why: "changed" | "deleted";
  /** What people call it: the name of the node or group, or those of both ends of an edge. */
  names: readonly string[];
  /** What differs. Whoever changed one of these last changed the part. */
  differs: readonly GraphPart[];
}

export interface UndoSplit {
  /** Undoes what nobody else changed. Undefined when nothing is left to undo. */
  free: Command | undefined;
  /** Undoes what somebody else changed: it would overwrite their work. */
  taken: Command | undefined;
  skipped: readonly Skipped[];
}

/** Everything about one kind of command. `before` is the graph before the command. */
export interface CommandKind<Type extends CommandType> {
  /** The graph after the command. */
  apply(content: GraphContent, command: CommandOf<Type>): GraphContent;
  /** The command that undoes it. Undefined when there is nothing to undo, or when `Answer.inverse` has it. */
  inverse(before: GraphContent, command: CommandOf<Type>): Command | undefined;
  /** The nodes, edges and groups that it changes, as they are in `content`. */
  touched(content: GraphContent, command: CommandOf<Type>): GraphContent;
  /** Where the command is an undo: which parts of it nobody else changed since, and which parts somebody did. */
  split(command: CommandOf<Type>, since: Since): UndoSplit;
  /** Asks the server to carry it out. */
  call(calls: GraphCalls, command: CommandOf<Type>, before: GraphContent): Promise<Answer>;
  /**
   * What the others receive at once, before the server has decided. Changes of many nodes wait for the server's event.
   */
  broadcasts(command: CommandOf<Type>, before: GraphContent): readonly Broadcast[];
}

export async function revisionOf(call: Promise<Changed>): Promise<Answer> {
  const { revision } = await call;
  return { revision };
}
