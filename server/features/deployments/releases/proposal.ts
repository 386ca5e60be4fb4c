import { typeOfField } from "@miranda/contract/call-inputs/field-types.ts";
import { deployment as limits } from "@miranda/contract/limits.ts";
import type { Attribute } from "@miranda/contract/schemas/attributes.ts";
import type { ReleaseProposal } from "@miranda/contract/schemas/deployments/deployments.ts";
import type { ReleaseForm } from "@miranda/contract/schemas/deployments/release-forms.ts";
import { isDeepStrictEqual } from "node:util";

import type { VersionContent } from "../../versions/version-content.ts";
import { checkField } from "./check-form.ts";
import { labelOf, uniqueNames } from "./field-names.ts";
import { type OfferedNode, offeredNodes, valueOf } from "./offered.ts";

type Field = ReleaseProposal["fields"][number];
type Output = ReleaseProposal["outputs"][number];

/** A release with the content of its version. */
export interface EarlierRelease {
  form: ReleaseForm;
  content: VersionContent;
}

/** Of larger workflows only the first are offered. */
const offersMax = 2_000;

/** What a release of this version could ask for and show. What the release before had comes first, as it had it. */
export function proposalOf(content: VersionContent, before: EarlierRelease | null): Omit<ReleaseProposal, "version"> {
  const nodes = offeredNodes(content);
  const earlier = before ? carriedOver(before, nodes) : null;
  const fields = offeredFields(nodes, earlier);
  const outputs = offeredOutputs(nodes, earlier);
  return {
    fields: inForm(fields, nodes),
    outputs,
    steps: earlier ? earlier.steps : stepsOf(nodes),
    missing: earlier?.missing ?? [],
  };
}

interface CarriedOver {
  fields: Map<string, ReleaseForm["fields"][number]>;
  outputs: Map<string, ReleaseForm["outputs"][number]>;
  steps: ReleaseForm["steps"];
  missing: string[];
}

const keyOf = (wobKey: number, name: string | null): string => JSON.stringify([wobKey, name]);

/** What the release before had and this version still has. A node that was deleted and restored has another number. */
function carriedOver({ form, content }: EarlierRelease, nodes: readonly OfferedNode[]): CarriedOver {
  const lineages = new Map([...content.nodes.values()].map((node) => [node.metadata_id, node.lineage]));
  const now = new Map(nodes.map((one) => [one.node.lineage, one]));
  const nodeOf = (wobKey: number): OfferedNode | undefined => now.get(lineages.get(wobKey) ?? "");
  const carried: CarriedOver = { fields: new Map(), outputs: new Map(), steps: [], missing: [] };
  for (const field of form.fields) {
    const offered = nodeOf(field.wob_key);
    const attribute = offered?.fields.find(({ name }) => name === field.attribute);
    if (!offered || !attribute) {
      carried.missing.push(`The field “${field.label}” is no longer there.`);
      continue;
    }
    const then = content.nodes.get(offered.node.lineage);
    const declared = then?.api.attributes.find(({ name }) => name === field.attribute);
    const isOwn = !then || !declared || !isDeepStrictEqual(field.default ?? null, valueOf(then, declared) ?? null);
    const wob_key = offered.node.metadata_id;
    carried.fields.set(keyOf(wob_key, field.attribute), {
      ...field,
      wob_key,
      default: isOwn ? field.default : defaultOf(offered, attribute),
    });
  }
  for (const output of form.outputs) {
    const offered = nodeOf(output.wob_key);
    const isThere = offered && (output.transmitter === null || offered.transmitters.includes(output.transmitter));
    if (!isThere) carried.missing.push(`The output “${output.label}” is no longer there.`);
    else {
      const wob_key = offered.node.metadata_id;
      carried.outputs.set(keyOf(wob_key, output.transmitter), { ...output, wob_key });
    }
  }
  for (const step of form.steps) {
    const offered = nodeOf(step.wob_key);
    if (offered) carried.steps.push({ ...step, wob_key: offered.node.metadata_id });
    else carried.missing.push(`The step “${step.label}” is no longer there.`);
  }
  return carried;
}

function offeredFields(nodes: readonly OfferedNode[], earlier: CarriedOver | null): Field[] {
  const names = uniqueNames([...(earlier?.fields.values() ?? [])].map(({ name }) => name));
  const ticked: Field[] = [];
  const others: Field[] = [];
  const all = nodes.flatMap((offered) => offered.fields.map((attribute) => ({ offered, attribute })));
  const kept = [...(earlier?.fields.keys() ?? [])];
  for (const { offered, attribute } of all) {
    const { node } = offered;
    const known = earlier?.fields.get(keyOf(node.metadata_id, attribute.name));
    const { kind, control } = attribute;
    if (known) ticked.push({ ...known, kind, control, node_name: node.name, ticked: true });
    else if (others.length < offersMax)
      others.push({
        ...{ name: names(attribute.name, node.name), wob_key: node.metadata_id, attribute: attribute.name },
        ...{ label: labelOf(attribute.name), help: "", kind, control },
        ...{ required: false, default: defaultOf(offered, attribute), min: null, max: null },
        ...{ node_name: node.name, ticked: false },
      });
  }
  const placeOf = (field: Field): number => kept.indexOf(keyOf(field.wob_key, field.attribute));
  const first = ticked.toSorted((one, other) => placeOf(one) - placeOf(other));
  return [...first, ...(earlier ? others : withTicks(others, nodes))];
}

/** For the first form: ticks all fields when they are few, else those of the nodes that the workflow starts with. */
function withTicks(fields: readonly Field[], nodes: readonly OfferedNode[]): Field[] {
  const starts = new Set(nodes.filter(({ isStart }) => isStart).map(({ node }) => node.metadata_id));
  const isMany = fields.length > limits.fieldsTicked;
  let left: number = limits.fieldsTicked;
  return fields.map((field) => {
    const ticked = field.control !== null && (!isMany || starts.has(field.wob_key)) && left > 0;
    if (ticked) left--;
    return { ...field, ticked };
  });
}

function offeredOutputs(nodes: readonly OfferedNode[], earlier: CarriedOver | null): Output[] {
  const names = uniqueNames([...(earlier?.outputs.values() ?? [])].map(({ name }) => name));
  const ticked: Output[] = [];
  const others: Output[] = [];
  const kept = [...(earlier?.outputs.keys() ?? [])];
  let left = earlier ? 0 : limits.outputsMax;
  for (const { node, transmitters, isEnd } of nodes)
    for (const transmitter of [...transmitters, null]) {
      const known = earlier?.outputs.get(keyOf(node.metadata_id, transmitter));
      if (known) ticked.push({ ...known, node_name: node.name, ticked: true });
      else if (others.length < offersMax) {
        const isTicked = isEnd && left > 0;
        if (isTicked) left--;
        others.push({
          ...{ name: names(transmitter ?? node.name, node.name), wob_key: node.metadata_id, transmitter },
          ...{ label: transmitter === null ? nodeLabel(node.name) : labelOf(transmitter) },
          ...{ node_name: node.name, ticked: isTicked },
        });
      }
    }
  const placeOf = (output: Output): number => kept.indexOf(keyOf(output.wob_key, output.transmitter));
  return [...ticked.toSorted((one, other) => placeOf(one) - placeOf(other)), ...others];
}

function stepsOf(nodes: readonly OfferedNode[]): ReleaseForm["steps"] {
  return nodes
    .slice(0, limits.stepsMax)
    .map(({ node }) => ({ wob_key: node.metadata_id, label: nodeLabel(node.name) }));
}

const nodeLabel = (name: string): string => name.trim().slice(0, limits.labelMax) || "Step";

/** The value of the version. A file has none here: a call without one uses that of the version. */
function defaultOf({ node }: OfferedNode, attribute: Attribute): unknown {
  return typeOfField(attribute) === "file" ? null : (valueOf(node, attribute) ?? null);
}

/** A default or a limit that the version would refuse is left out: the proposal can be sent as it is. */
function inForm(fields: readonly Field[], nodes: readonly OfferedNode[]): Field[] {
  const byNumber = new Map(nodes.map((one) => [one.node.metadata_id, one]));
  const isAccepted = (field: Field): boolean => typeof checkField(field, byNumber.get(field.wob_key)) !== "string";
  return fields.map((field) => {
    if (isAccepted(field)) return field;
    const unlimited = { ...field, min: null, max: null };
    return isAccepted(unlimited) ? unlimited : { ...unlimited, default: null };
  });
}
