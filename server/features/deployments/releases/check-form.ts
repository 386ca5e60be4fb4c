import { checkInputs } from "@miranda/contract/call-inputs/check-inputs.ts";
import { type FieldType, rangeOfField, typeOfField } from "@miranda/contract/call-inputs/field-types.ts";
import { problemsOf } from "@miranda/contract/graph/attributes/field-problem.ts";
import { messages } from "@miranda/contract/words/messages.ts";
import type { ReleaseField, ReleaseForm, ReleaseOutput } from "@miranda/contract/schemas/deployments/release-forms.ts";

import { withValues } from "../../../model/graph-rows.ts";
import type { VersionContent } from "../../versions/version-content.ts";
import { type OfferedNode, offeredNodes, refusalOf } from "./offered.ts";

const problemsMax = 50;

/**
 * The form as it is stored, or everything that is wrong with it. Kinds and controls are those of the version, whatever the
 * form says.
 */
export function checkForm(form: ReleaseForm, content: VersionContent): { form: ReleaseForm } | { problems: string[] } {
  const nodes = new Map(offeredNodes(content).map((one) => [one.node.metadata_id, one]));
  const problems = unfitFields([...nodes.values()]);
  const fields = form.fields.flatMap((field): ReleaseField[] => {
    const checked = checkField(field, nodes.get(field.wob_key));
    if (typeof checked !== "string") return [checked];
    problems.push(`${field.name}: ${checked}.`);
    return [];
  });
  for (const output of form.outputs) {
    const problem = outputProblem(output, nodes.get(output.wob_key));
    if (problem !== undefined) problems.push(`${output.name}: ${problem}.`);
  }
  for (const { wob_key, label } of form.steps)
    if (!nodes.has(wob_key)) problems.push(`${label}: this version has no such step.`);
  problems.push(
    ...twice(form.fields, ({ wob_key, attribute }) => JSON.stringify([wob_key, attribute])).map(
      ({ name }) => `${name}: another field sets the same value.`,
    ),
    ...twice(form.outputs, ({ wob_key, transmitter }) => JSON.stringify([wob_key, transmitter])).map(
      ({ name }) => `${name}: another output shows the same value.`,
    ),
    ...twice(form.steps, ({ wob_key }) => String(wob_key)).map(
      ({ label }) => `${label}: another step is for the same node.`,
    ),
  );
  if (problems.length === 0) return { form: { ...form, fields } };
  const more = problems.length - problemsMax;
  return { problems: more > 0 ? [...problems.slice(0, problemsMax), `And ${more} more.`] : problems };
}

/** No call could use them as they are set. */
function unfitFields(nodes: readonly OfferedNode[]): string[] {
  return nodes.flatMap(({ node, fields }) => {
    const names = new Set(fields.map(({ name }) => name));
    return problemsOf({ api: withValues(node.api, node.values, false) })
      .filter(({ field }) => names.has(field))
      .map(({ words }) => messages.unfitField(node.name, words));
  });
}

/** The field, or what is wrong with it. */
export function checkField(field: ReleaseField, offered: OfferedNode | undefined): ReleaseField | string {
  if (!offered) return "this version has no such code block";
  const attribute = offered.fields.find(({ name }) => name === field.attribute);
  if (!attribute) return refusalOf(offered, field.attribute);
  const { kind, control } = attribute;
  const type = typeOfField({ kind, control });
  const checked = { ...field, kind, control, ...limitsOf(field, type) };
  return limitProblem(checked, type) ?? defaultProblem(checked, type) ?? checked;
}

const withLimits = new Set<FieldType>(["number", "integer", "text", "any"]);

/** Only numbers and texts have limits, and files a largest size. */
function limitsOf({ min, max }: ReleaseField, type: FieldType): Pick<ReleaseField, "min" | "max"> {
  if (type === "file") return { min: null, max };
  return withLimits.has(type) ? { min, max } : { min: null, max: null };
}

function limitProblem(field: ReleaseField, type: FieldType): string | undefined {
  const isNumber = type === "number" || type === "integer";
  const own = [field.min, field.max].filter((limit) => limit !== null);
  if (!isNumber && own.some((limit) => !Number.isInteger(limit) || limit < 0))
    return "its limits are lengths, so they must be whole numbers of at least 0";
  const { min, max } = isNumber ? rangeOfField(field) : { min: field.min ?? undefined, max: field.max ?? undefined };
  return min !== undefined && max !== undefined && min > max ? "no value is within its limits" : undefined;
}

function defaultProblem(field: ReleaseField, type: FieldType): string | undefined {
  if (field.default === undefined || field.default === null) return undefined;
  // The file of the version is used. A hash in a form could name anybody's file.
  if (type === "file") return "a file cannot have a default of its own";
  const checked = checkInputs([field], { [field.name]: field.default }, "json");
  if ("inputs" in checked) return undefined;
  const words = checked.problems[0]?.message ?? "it does not fit";
  return `its default does not fit. ${words.replace(/\.$/, "")}`;
}

function outputProblem({ transmitter }: ReleaseOutput, offered: OfferedNode | undefined): string | undefined {
  if (!offered) return "this version has no such code block";
  if (transmitter === null || offered.transmitters.includes(transmitter)) return undefined;
  return `${offered.node.name} has no transmitter “${transmitter}”`;
}

/** Those that come a second time. */
function twice<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = keyOf(item);
    if (seen.has(key)) return true;
    seen.add(key);
    return false;
  });
}
