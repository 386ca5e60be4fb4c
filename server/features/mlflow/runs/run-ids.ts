import { invalid, missing } from "../http/mlflow-error.ts";
import { toRunId, toUuid } from "../http/run-ids.ts";

export { toRunId };

/** The id of a run in the database. Old clients name it by `run_uuid`. */
export function readRunId(given: string | undefined, other?: string): string {
  const id = given || other || "";
  if (id === "") throw invalid("Missing value for required parameter 'run_id'.");
  if (!/^[a-zA-Z0-9][\w-]{0,255}$/.test(id)) throw invalid(`Invalid run ID: '${id.slice(0, 100)}'`);
  const uuid = findRunId(id);
  if (uuid === undefined) throw noRun(id);
  return uuid;
}

/** Undefined for what is no id of a run. */
export const findRunId = (given: string): string | undefined => toUuid(toRunId(given).toLowerCase());

export const noRun = (id: string) => missing(`Run with id=${toRunId(id).slice(0, 100)} not found`);
