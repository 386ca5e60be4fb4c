import type { ModelSignature, SignatureField } from "@miranda/contract/schemas/models/versions.ts";
import { model as limits } from "@miranda/contract/limits.ts";
import { isRecord } from "@miranda/contract/json.ts";
import { parse } from "yaml";

/** What the MLmodel file of a version says. */
export interface MlmodelFile {
  signature: ModelSignature | null;
  flavors: string[];
  /** Of the client that wrote it; empty when it does not say. */
  mlflowVersion: string;
}

const nameMax = 500;

/** Reads an MLmodel file, which a client wrote. Undefined when it cannot be read. */
export function readMlmodel(text: string): MlmodelFile | undefined {
  let content: unknown;
  try {
    // Without aliases: a few lines with them could stand for gigabytes.
    content = parse(text, { maxAliasCount: 0, schema: "core", logLevel: "silent" });
  } catch {
    return undefined;
  }
  if (!isRecord(content)) return undefined;
  const { flavors, signature, mlflow_version: version } = content;
  return {
    flavors: isRecord(flavors) ? Object.keys(flavors).slice(0, 20) : [],
    signature: isRecord(signature) ? signatureOf(signature) : null,
    mlflowVersion: typeof version === "string" && /^\d[\w.]{0,30}$/.test(version) ? version : "",
  };
}

function signatureOf(given: Record<string, unknown>): ModelSignature | null {
  const [inputs, outputs, params] = [given["inputs"], given["outputs"], given["params"]].map(fieldsOf);
  if (!inputs && !outputs && !params) return null;
  return { inputs: inputs ?? [], outputs: outputs ?? [], params: params ?? [] };
}

/** Lists are JSON inside of the YAML. */
function fieldsOf(given: unknown): SignatureField[] | undefined {
  if (typeof given !== "string") return undefined;
  let list: unknown;
  try {
    list = JSON.parse(given);
  } catch {
    return undefined;
  }
  return Array.isArray(list) ? list.slice(0, limits.signatureMax).flatMap((one) => fieldOf(one) ?? []) : undefined;
}

function fieldOf(given: unknown): SignatureField | undefined {
  if (!isRecord(given)) return undefined;
  const { name, type, required, shape } = given;
  const tensor = isRecord(given["tensor-spec"]) ? given["tensor-spec"] : undefined;
  const typeName = tensor ? `tensor of ${textOf(tensor["dtype"])}` : textOf(type);
  return {
    name: typeof name === "string" || typeof name === "number" ? String(name).slice(0, nameMax) : "",
    type: typeName,
    shape: numbersOf(tensor ? tensor["shape"] : shape),
    required: required !== false,
    default: given["default"] ?? null,
  };
}

const textOf = (given: unknown): string => (typeof given === "string" ? given.slice(0, nameMax) : "");

function numbersOf(given: unknown): number[] | null {
  if (!Array.isArray(given)) return null;
  return given.slice(0, 20).flatMap((one: unknown) => (typeof one === "number" ? [one] : []));
}
