import { messages } from "../../words/messages.ts";
import { isRecord, readJson } from "../../json.ts";
import type { Attribute, Control, Direction, NodeApi, ShownWhen } from "../../schemas/attributes.ts";

const directions: readonly Direction[] = ["TRANSMITTER", "RECEIVER", "TRANSMITTER_FIELD", "RECEIVER_FIELD"];

/** Reads a node's api, given as JSON text or as a value. Never throws: `error` says what is wrong. */
export function parseNodeApi(given: unknown): NodeApi {
  const api = typeof given === "string" ? readJson(given) : given;
  if (!isRecord(api)) return { compiled: false, error: messages.invalidJson, disabled: false, attributes: [] };
  const sent = typeof api["error"] === "string" && api["error"] !== "" ? api["error"] : null;
  const disabled = api["disabled"] === true || api["disabled"] === 1;
  const attributes = api["attributes"];
  if (!Array.isArray(attributes))
    return { compiled: false, error: sent ?? messages.missingAttributes, disabled, attributes: [] };
  return {
    compiled: typeof api["compiled"] === "boolean" ? api["compiled"] : sent === null,
    error: sent,
    disabled,
    attributes: attributes.map(parseAttribute).filter((attribute) => attribute !== undefined),
  };
}

// An attribute without a name or a direction cannot be shown, connected or set.
function parseAttribute(given: unknown): Attribute | undefined {
  if (!isRecord(given) || typeof given["name"] !== "string" || given["name"] === "") return undefined;
  const named = String(given["direction"]).toUpperCase();
  const direction = directions.find((one) => one === named);
  if (!direction) return undefined;
  // The control and the rule are kept as they are: checking them would slow the opening of every graph. A control that
  // nobody knows is not drawn, and a condition that nobody knows is not met.
  return {
    name: given["name"],
    kind: typeof given["kind"] === "string" ? given["kind"].toLowerCase() : "",
    direction,
    value: given["value"] ?? null,
    is_connected: given["is_connected"] === true,
    control: isRecord(given["control"]) ? (given["control"] as Control) : null,
    edge_text: typeof given["edge_text"] === "string" ? given["edge_text"] : "",
    shown_when: isRecord(given["shown_when"]) ? (given["shown_when"] as ShownWhen) : null,
    ...("default" in given && { default: given["default"] }),
    ...(given["optional"] === true && { optional: true }),
  };
}
