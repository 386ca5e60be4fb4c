import { storedClasses } from "@miranda/contract/graph/node-classes.ts";
import { formText, node as limits, nodeFile, version } from "@miranda/contract/limits.ts";
import { exactText, Id, numberBetween, optionalText, requiredText } from "@miranda/contract/schemas/forms.ts";
import { FormColour } from "@miranda/contract/schemas/nodes.ts";
import { z } from "zod";

// The shape of `workflow.toml`. People edit it by hand, so every refusal names the entry.

export const tomlName = "workflow.toml";

/** Grows when older servers could no longer read a folder. */
export const folderFormat = 1;

/** A name in `workflow.toml`, and the name of the node's file. The dot divides it from an attribute. */
const entryName = /^[^\p{Cc}/\\.:*?"<>|]{1,120}$/u;
const nameWords = "A node's name in this file cannot have dots, slashes or other signs that file names cannot have.";
const EntryName = z.string().regex(entryName, nameWords);

// Kept as they are: names and descriptions that came from other programs must come back unchanged.
const Name = exactText("Name", formText.nameMax).optional();
const Description = exactText("Description", formText.descriptionMax).default("");

const FolderNode = z.strictObject({
  name: Name,
  class: z.enum(storedClasses, "There is no such class of node.").default("Code_block"),
  description: Description,
  order: numberBetween("Order", { min: 0, max: limits.orderMax }, "whole").default(0),
  colour: FormColour.default(null),
  tags: z.array(requiredText("Tag", formText.tagMax), "Tags must be a list.").max(limits.tagsMax).default([]),
  disabled: z.boolean("disabled must be true or false.").default(false),
  locked: z.boolean("locked must be true or false.").default(false),
  git: optionalText("Git", limits.gitMax).default(""),
  git_branch: optionalText("Git branch", limits.gitBranchMax).default(""),
  /** Without one it is a new node. */
  lineage: Id.optional(),
  /** The version of Miranda that this node needs, when it needs another one than the rest. */
  sdk: requiredText("sdk", formText.shortTextMax).optional(),
});
export type FolderNode = z.infer<typeof FolderNode>;

const coordinateWords = `A place is two numbers, x and y, from ${-limits.positionMax} to ${limits.positionMax}.`;
const Coordinate = z
  .number(coordinateWords)
  .min(-limits.positionMax, coordinateWords)
  .max(limits.positionMax, coordinateWords);
const Place = z.tuple([Coordinate, Coordinate], coordinateWords);

const FolderEdge = z.strictObject({
  from: exactText("from", limits.attributeNameMax * 2),
  to: exactText("to", limits.attributeNameMax * 2),
  label: optionalText("Label", limits.edgeTextMax).default(""),
  via: z.array(Place).max(limits.segmentsMax, `An edge can have at most ${limits.segmentsMax} bends.`).default([]),
});
export type FolderEdge = z.infer<typeof FolderEdge>;

const FolderGroup = z.strictObject({
  name: Name,
  colour: FormColour.default(null),
  collapsed: z.boolean("collapsed must be true or false.").default(false),
  lineage: Id.optional(),
  members: z.array(EntryName, "members must be a list.").max(version.nodesMax),
});
export type FolderGroup = z.infer<typeof FolderGroup>;

const Values = z.record(z.string().min(1).max(limits.attributeNameMax), z.unknown());

export const WorkflowToml = z.strictObject({
  format: z.literal(folderFormat, `format must be ${folderFormat}.`),
  sdk: requiredText("sdk", formText.shortTextMax),
  workflow: z.strictObject({
    name: Name,
    description: Description,
    id: Id.optional(),
    version: Id.optional(),
  }),
  nodes: z.record(EntryName, FolderNode, "nodes must be a table.").default({}),
  values: z.record(EntryName, Values, "values must be a table.").default({}),
  settings: z.record(EntryName, Values, "settings must be a table.").default({}),
  layout: z.record(EntryName, Place, "layout must be a table.").default({}),
  graph: z.strictObject({ edges: z.array(FolderEdge, "edges must be a list.").default([]) }).default({ edges: [] }),
  groups: z.record(EntryName, FolderGroup, "groups must be a table.").default({}),
});
export type WorkflowToml = z.infer<typeof WorkflowToml>;

/** An uploaded file as a value. */
export const FolderFile = z.strictObject({
  file: z.string(),
  name: z.string().min(1).max(nodeFile.nameMax).optional(),
  type: z.string().max(nodeFile.typeMax).optional(),
});
export type FolderFile = z.infer<typeof FolderFile>;
