import { z } from "zod";

import { formText, notebook as limits } from "../../limits.ts";
import { PastedEdge, PastedNode } from "../changes.ts";
import { formJson, numberBetween, optionalText, yesOrNo } from "../forms.ts";

/** A cell of a notebook, without what it showed. */
export const NotebookCell = z.object({
  kind: z.enum(["code", "markdown", "raw"], "A cell is code, markdown or raw."),
  source: z.string("Every cell needs its source."),
  /** Its author expects an exception (the tag `raises-exception`): the cells below it run all the same. */
  fails: z.boolean("fails is true or false.").optional(),
});
export type NotebookCell = z.infer<typeof NotebookCell>;

const tooLong = `Code and texts of a file can have at most ${limits.charactersMax} characters.`;
const tooManyCells = `A notebook can have at most ${limits.cellsMax} cells.`;

/** Cells of a notebook, the text of a script, or the code of a node that was made from one of them. */
export const SplitCodeBody = z
  .object({
    /** The name of the file. */
    name: optionalText("Name", formText.nameMax).default(""),
    cells: formJson(z.array(NotebookCell, "cells must be a list.").max(limits.cellsMax, tooManyCells)).optional(),
    text: z.string("The text must be text.").max(limits.charactersMax, tooLong).optional(),
    /** False: it becomes one node, which runs as the notebook or the script ran. */
    splits: yesOrNo("splits").default(false),
    /** Cells up to this number stay in one node: apart they gave something else. */
    together: numberBetween("together", { min: 0, max: limits.cellsMax }, "whole").default(0),
  })
  .refine(({ cells, text }) => (cells === undefined) !== (text === undefined), "Send either cells or a text.")
  .refine(
    ({ cells = [] }) => cells.reduce((sum, { source }) => sum + source.length, 0) <= limits.charactersMax,
    tooLong,
  );
export type SplitCodeBody = z.infer<typeof SplitCodeBody>;

/** What a notebook or a script becomes. Nothing is stored yet: a paste of the nodes and edges adds them. */
export const SplitCode = z.object({
  /** "node": it is the code of a node. "cells": it was split, or wrapped into a node. "text": it is not Python. */
  form: z.enum(["node", "cells", "text"]),
  /** How many cells of code it has. */
  cells: z.number(),
  nodes: z.array(PastedNode),
  edges: z.array(PastedEdge),
  /** Cells that stay together in one node, and why: nobody can say that they would do the same apart. */
  together: z.array(z.object({ cells: z.array(z.number()), because: z.array(z.string()) })),
  /** What a person should look at, with the number of the cell that it is about. */
  remarks: z.array(z.object({ cell: z.number().nullable(), text: z.string() })),
});
export type SplitCode = z.infer<typeof SplitCode>;
