import { z } from "zod";

// An archive is a zip: the rows of each table as PostgreSQL copies them, the files under numbers, the list of these
// files, and last the manifest. A zip without its manifest was cut.

export const formatNumber = 1;
export const manifestName = "manifest.json";
export const listName = "files.jsonl";
export const tableEntry = (table: string): string => `database/${table}.copy`;
export const fileEntry = (number: number): string => `files/${number}`;

/** The folders of the data folder that are backed up. The first two hold files by content, which never change. */
const fileFolders = ["artifacts", "results", "storage"] as const;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Count = z.number().int().min(0);

/** The name of a table, a column or a sequence, as migrations write it. */
const Name = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/);

const TableCopy = z.object({
  name: Name,
  columns: z.array(Name),
  rows: Count,
  bytes: Count,
  sha256: Sha256,
});
export type TableCopy = z.infer<typeof TableCopy>;

export const Manifest = z.object({
  format: z.literal(formatNumber),
  product: z.literal("miranda"),
  version: z.string(),
  made_at: z.string(),
  migrations: z.array(z.string().regex(/^\d{4}-[\w-]+\.sql$/)).min(1),
  tables: z.array(TableCopy),
  sequences: z.array(z.object({ name: Name, value: z.string().regex(/^-?\d+$/), is_called: z.boolean() })),
  files: z.object({ count: Count, bytes: Count, list_bytes: Count, list_sha256: Sha256 }),
  /** Files that rows name and that were not there, and what could not be copied. */
  missing: z.array(z.string()),
  key: z.object({
    /** Tell whether a key is the right one, and nothing else about it. */
    fingerprints: z.array(Sha256).min(1),
    sealed: z.object({ salt: z.string(), value: z.string() }).nullable(),
  }),
});
export type Manifest = z.infer<typeof Manifest>;

/** In bytes. The system's own limit is 4,096: a restore must have room for the data folder in front of it. */
export const longestPath = 3_000;

/** A line of the list of files. Links have a target, folders neither that nor a number. */
export const ListedFile = z.object({
  path: z.string().min(1).max(4_096),
  mode: z.number().int().min(0).max(0o777),
  number: Count.optional(),
  bytes: Count.optional(),
  sha256: Sha256.optional(),
  target: z.string().max(4_096).optional(),
});
export type ListedFile = z.infer<typeof ListedFile>;

/** Whether a path stays inside of one of the folders that are backed up. */
export function isSafePath(path: string): boolean {
  const parts = path.split("/");
  const [folder] = parts;
  return (
    !path.includes("\0") &&
    parts.every((part) => part !== "" && part !== "." && part !== "..") &&
    fileFolders.some((known) => known === folder)
  );
}

/** Whether a link stays inside of the folder of its project: `storage/<project>`. */
export function isSafeLink(path: string, target: string): boolean {
  if (target === "" || target.startsWith("/") || target.includes("\0")) return false;
  const place = path.split("/").slice(0, -1);
  for (const part of target.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") place.pop();
    else place.push(part);
    if (place.length < 2 || place[0] !== path.split("/")[0] || place[1] !== path.split("/")[1]) return false;
  }
  return true;
}
