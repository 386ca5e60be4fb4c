import { modelFolder, runFolder } from "../../artifacts/artifact-paths.ts";

export interface VersionRow {
  model_id: string;
  model_name: string;
  number: number;
  created_at: Date;
  updated_at: Date;
  author: string;
  stage: string;
  description: string;
  source: string;
  status: string;
  run_link: string;
  tags: Record<string, string>;
  tracked_run_id: string | null;
  experiment: number | null;
  logged_model_id: string | null;
  logged_experiment: number | null;
  aliases: string[];
}

export interface ModelRow {
  id: string;
  name: string;
  description: string;
  tags: Record<string, string>;
  created_at: Date;
  updated_at: Date;
}

export const pairsOf = (record: Record<string, string>) =>
  Object.entries(record)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => ({ key, value }));

/** Like the protocol buffers of MLflow: what is empty is left out. */
const unlessEmpty = <Name extends string, Value extends string | readonly unknown[]>(name: Name, value: Value) =>
  value.length === 0 ? {} : { [name]: value };

/** A version as MLflow's client reads it. */
export function toVersion(row: VersionRow) {
  return {
    name: row.model_name,
    version: String(row.number),
    creation_timestamp: row.created_at.getTime(),
    last_updated_timestamp: row.updated_at.getTime(),
    ...unlessEmpty("user_id", row.author),
    current_stage: row.stage,
    description: row.description,
    source: row.source || (storedAt(row) ?? ""),
    ...(row.tracked_run_id !== null && { run_id: row.tracked_run_id.replaceAll("-", "") }),
    status: row.status,
    run_link: row.run_link,
    ...unlessEmpty("tags", pairsOf(row.tags)),
    ...unlessEmpty("aliases", row.aliases),
  };
}

/** Where the files of a version are. Undefined when it says nothing about files. */
export function storedAt(row: VersionRow): string | undefined {
  if (row.logged_model_id !== null && row.logged_experiment !== null)
    return `mlflow-artifacts:/${modelFolder(row.logged_experiment, row.logged_model_id)}`;
  const [, run, path = ""] = /^runs:\/+([0-9a-f]{32})((?:\/.*)?)$/.exec(row.source) ?? [];
  if (run !== undefined && row.tracked_run_id?.replaceAll("-", "") === run && row.experiment !== null)
    return `mlflow-artifacts:/${runFolder(row.experiment, run)}${path}`;
  return row.source || undefined;
}

export function toModel(
  row: ModelRow,
  latest: readonly VersionRow[],
  aliases: readonly { alias: string; number: number }[],
) {
  return {
    name: row.name,
    creation_timestamp: row.created_at.getTime(),
    last_updated_timestamp: row.updated_at.getTime(),
    ...unlessEmpty("description", row.description),
    ...unlessEmpty("latest_versions", latest.map(toVersion)),
    ...unlessEmpty("tags", pairsOf(row.tags)),
    ...unlessEmpty(
      "aliases",
      aliases.map(({ alias, number }) => ({ alias, version: String(number) })),
    ),
  };
}
