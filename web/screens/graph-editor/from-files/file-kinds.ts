import { graphml, nodeFile, notebook, workflowFiles } from "@miranda/contract/limits.ts";

/** What a file on the canvas becomes. `prefab` is the name of the library node that loads it. */
export type FileKind =
  | { type: "load"; prefab: string }
  | { type: "notebook" }
  | { type: "script" }
  | { type: "zip" }
  | { type: "graphml" };

const prefabs: Record<string, string> = {
  csv: "Read CSV",
  tsv: "Read CSV",
  txt: "Read CSV",
  xlsx: "Read Excel",
  xls: "Read Excel",
  parquet: "Read Parquet",
  json: "Read JSON",
  jsonl: "Read JSON",
};

const others: Record<string, Exclude<FileKind["type"], "load">> = {
  ipynb: "notebook",
  py: "script",
  zip: "zip",
  graphml: "graphml",
};

const limits: Record<FileKind["type"], number> = {
  load: nodeFile.sizeMax,
  notebook: notebook.fileMax,
  script: notebook.charactersMax,
  zip: workflowFiles.zipMax,
  graphml: graphml.bodyMax,
};

const pictures = new Set(["png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "svg", "heic"]);

/** What a file becomes, or the words that refuse it. It looks only at name and size, not at the content. */
export function kindOf({ name, size }: Pick<File, "name" | "size">): FileKind | string {
  const ending = /\.([^.]+)$/.exec(name.toLowerCase())?.[1] ?? "";
  const prefab = prefabs[ending];
  const other = others[ending];
  if (pictures.has(ending))
    return `“${name}” is a picture. Put pictures into the workflow's storage, and read them with the node “Folder of images”.`;
  if (!prefab && !other)
    return `“${name}” cannot become a node. CSV, Excel, Parquet and JSON, notebooks, Python, GraphML and zips of workflows can.`;
  const kind: FileKind = prefab ? { type: "load", prefab } : { type: other ?? "script" };
  const most = limits[kind.type];
  return size > most ? `“${name}” has ${megabytes(size)}. At most ${megabytes(most)} can be dropped.` : kind;
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024)} MB`;
}

export const acceptedFiles = [...Object.keys(prefabs), ...Object.keys(others)].map((ending) => `.${ending}`).join(",");
