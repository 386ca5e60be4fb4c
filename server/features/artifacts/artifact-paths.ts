import { AppError } from "../../platform/errors/app-error.ts";

/** Whose a file is: of a run or of a logged model. It goes with it. */
export type ArtifactOwner = { kind: "run"; runId: string } | { kind: "model"; modelId: string };

export interface ArtifactPlace {
  /** The whole path, as it is stored. */
  path: string;
  experiment: number;
  owner: ArtifactOwner;
  /** The folder of the owner. */
  root: string;
}

// An index can hold no longer keys.
const pathBytes = 1_000;
const nameBytes = 255;
const depthMax = 60;
const decodingsMax = 5;

const rooted = /^(\d{1,9})\/(?:([0-9a-f]{32})|models\/(m-[0-9a-f]{32}))\/artifacts(?:\/|$)/;

/**
 * A path that stays where it is. Nothing of it ever names a file of this machine, but clients and zips write files by
 * these names.
 */
export function checkPath(given: string): string {
  const wrong = (why: string) =>
    new AppError("artifact_path_wrong", `Invalid path: ${JSON.stringify(given.slice(0, 100))} ${why}.`);
  if (Buffer.byteLength(given) > pathBytes) throw wrong("is too long");
  for (const spelling of decodings(given)) {
    if (hasUnsafeCharacter(spelling)) throw wrong("has a character that names cannot have");
    if (/^(?:\/|[a-z]:)/i.test(spelling)) throw wrong("is absolute");
    if (spelling.split("/").some((name) => name === ".." || name === ".")) throw wrong("leads out of its folder");
  }
  const names = given.split("/");
  if (names.length > depthMax) throw wrong("has too many folders");
  if (names.some((name) => name === "")) throw wrong("has a name without letters");
  if (names.some((name) => Buffer.byteLength(name) > nameBytes)) throw wrong("has a name that is too long");
  if (!given.isWellFormed()) throw wrong("is no text");
  return given;
}

/** A backslash, or one that nobody sees: some systems take it for something else. */
export function hasUnsafeCharacter(text: string): boolean {
  return text.includes("\\") || /(?![\u0080-\u009f])\p{Cc}/u.test(text);
}

/** Where a file or folder of a client is. */
export function placeOf(given: string): ArtifactPlace {
  const path = checkPath(given);
  const [match, experiment, run, model] = rooted.exec(path) ?? [];
  if (match === undefined)
    throw new AppError(
      "artifact_path_wrong",
      `Invalid path: ${JSON.stringify(given.slice(0, 100))} is in no run and no logged model.`,
    );
  return {
    path,
    experiment: Number(experiment),
    owner: model === undefined ? { kind: "run", runId: uuidOf(run ?? "") } : { kind: "model", modelId: model },
    root: match.replace(/\/$/, ""),
  };
}

/** The folder of a run. */
export const runFolder = (experiment: number, runId: string): string =>
  `${experiment}/${runId.replaceAll("-", "")}/artifacts`;

/** The folder of a logged model. */
export const modelFolder = (experiment: number, modelId: string): string => `${experiment}/models/${modelId}/artifacts`;

/** A path below a folder. Nothing below it: the folder. */
export const within = (folder: string, below: string): string =>
  below === "" || below === "." ? folder : `${folder}/${checkPath(below)}`;

/** All folders above a path. */
export function foldersOf(path: string): string[] {
  const names = path.split("/");
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join("/"));
}

function uuidOf(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The path as it is, and as programs that decode it once more would read it. */
function decodings(given: string): string[] {
  const found = [given];
  for (let at = 0; at < decodingsMax; at += 1) {
    const last = found[at] ?? "";
    if (!last.includes("%")) break;
    const next = last.replaceAll(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
    if (next === last) break;
    found.push(next);
  }
  return found;
}
