import type { Command } from "@miranda/contract/graph/commands/command.ts";
import type { CallInDesigner } from "@miranda/contract/schemas/deployments/calls.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

export interface CallValues {
  /** Puts the inputs into the fields, as one change; null when they are there already. */
  command: Command | null;
  /** Fields that get another value. */
  changed: number;
  /** Inputs whose field the workflow no longer has. */
  gone: number;
  /** Inputs whose field is set by an edge now, which would win. */
  connected: number;
}

/** What has to change so that the workflow has the inputs of a call as its values. */
export function callValues(
  values: CallInDesigner["values"],
  nodes: Readonly<Record<string, Pick<Node, "api">>>,
): CallValues {
  const commands: Command[] = [];
  let [gone, connected] = [0, 0];
  for (const { wob_key: id, attribute: name, value } of values) {
    const attribute = nodes[id]?.api.attributes.find((one) => one.name === name);
    if (!attribute) gone += 1;
    else if (attribute.is_connected) connected += 1;
    else if (JSON.stringify(attribute.value) !== JSON.stringify(value)) commands.push({ type: "set", id, name, value });
  }
  const [only] = commands;
  const command: Command | null = commands.length > 1 ? { type: "several", commands } : (only ?? null);
  return { command, changed: commands.length, gone, connected };
}
