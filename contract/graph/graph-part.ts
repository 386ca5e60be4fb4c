import type { EdgeEnds } from "../schemas/nodes.ts";

/** The fields of a node that a person sees as one thing each. `code` is what it runs. */
export type PartField =
  | "name"
  | "description"
  | "colour"
  | "body"
  | "locked"
  | "git"
  | "git_branch"
  | "update_policy"
  | "position"
  | "disabled"
  | "tags"
  | "code";

/** Something in a graph that one person can change while another does. */
export type GraphPart =
  | { type: "node"; id: number }
  | { type: "field"; id: number; field: PartField }
  | { type: "value"; id: number; name: string }
  | { type: "edge"; ends: EdgeEnds }
  | { type: "group"; id: string };
