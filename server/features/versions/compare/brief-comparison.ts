import { sameJson } from "@miranda/contract/json.ts";
import type {
  BriefComparison,
  BriefNodeDifference,
  Comparison,
  FieldDifference,
  NodeDifference,
} from "@miranda/contract/schemas/versions.ts";

/** A comparison without what a client knows that has the first version: with thousands of differences, most of it. */
export function briefComparison({ nodes, edges, groups }: Comparison): BriefComparison {
  return { nodes: nodes.map(briefNode), edges, groups };
}

function briefNode({ lineage, change, before, after, fields }: NodeDifference): BriefNodeDifference {
  return {
    lineage,
    change,
    after: after && before ? briefAfter(before, after) : after,
    fields: fields.map(briefField),
  };
}

type Versions = { [Key in "before" | "after"]: NonNullable<NodeDifference[Key]> };

function briefAfter(before: Versions["before"], after: Versions["after"]): BriefNodeDifference["after"] {
  const { api, source_code, ...rest } = after;
  const isSameApi = sameJson(before.api, api) && sameJson(before.values, after.values);
  return {
    ...rest,
    ...(!isSameApi && { api }),
    ...(before.source_code !== source_code && { source_code }),
  };
}

function briefField(field: FieldDifference): FieldDifference {
  return field.kind === "code" ? { ...field, before: undefined, after: undefined } : field;
}
