import { hasUnsafeCharacter, placeOf } from "../../artifacts/artifact-paths.ts";
import { invalid } from "../http/mlflow-error.ts";

/** What a client says about where the files of a version are. */
export type ModelSource =
  | { kind: "logged"; modelId: string }
  | { kind: "version"; name: string; version: string }
  | { kind: "alias"; name: string; alias: string }
  | { kind: "run"; run: string; path: string }
  | { kind: "stored"; path: string }
  /** In a bucket of the client, for example. */
  | { kind: "elsewhere" };

const sourceMax = 2_000;

/** Refuses files of this machine and paths that climb out, in the words of MLflow. */
export function readSource(source: string): ModelSource {
  const shown = source.slice(0, 200);
  if (source === "") throw invalid("Missing value for required parameter 'source'.");
  if (source.length > sourceMax) throw invalid(`'source' exceeds the maximum length of ${sourceMax} characters`);
  const [, scheme = "file", rest = ""] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(source) ?? [];
  if (/^(?:file|[a-z])$/i.test(scheme))
    throw invalid(
      `Invalid model version source: '${shown}'. To use a local path as a model version source, the run_id request parameter has to be specified and the local path has to be contained within the artifact directory of the run specified by the run_id.`,
    );
  if (climbs(rest))
    throw invalid(
      `Invalid model version source: '${shown}'. If supplying a source as an http, https, local file path, ftp, objectstore, or mlflow-artifacts uri, an absolute path must be provided without relative path references present. Please provide an absolute path.`,
    );
  switch (scheme.toLowerCase()) {
    case "models":
      return modelSource(rest.replace(/^\/+/, ""), shown);
    case "runs": {
      const [, run = "", path = ""] = /^\/+([0-9a-f]{32})(?:\/(.*))?$/i.exec(rest) ?? [];
      if (run === "") throw invalid(`Invalid model version source: '${shown}'.`);
      return { kind: "run", run: run.toLowerCase(), path: path.replace(/\/+$/, "") };
    }
    case "mlflow-artifacts":
      // With or without a host: it is always this one.
      return { kind: "stored", path: placeOf(rest.replace(/^\/\/[^/]*/, "").replaceAll(/^\/+|\/+$/g, "")).path };
    default:
      return { kind: "elsewhere" };
  }
}

function modelSource(rest: string, shown: string): ModelSource {
  if (/^m-[0-9a-f]{32}$/.test(rest)) return { kind: "logged", modelId: rest };
  const [, name = "", version = ""] = /^([^/@]+)\/(\d{1,9})$/.exec(rest) ?? [];
  if (name !== "") return { kind: "version", name, version };
  const [, aliased = "", alias = ""] = /^([^/@]+)@([\w-]+)$/.exec(rest) ?? [];
  if (aliased !== "") return { kind: "alias", name: aliased, alias };
  throw invalid(`Invalid model version source: '${shown}'.`);
}

function climbs(path: string): boolean {
  let spelling = path;
  for (let at = 0; at < 5; at += 1) {
    if (hasUnsafeCharacter(spelling) || spelling.split(/[/?#]/).includes("..")) return true;
    spelling = spelling.replaceAll(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  }
  return false;
}
