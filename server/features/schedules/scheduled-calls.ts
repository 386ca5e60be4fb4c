import { checkInputs } from "@miranda/contract/call-inputs/check-inputs.ts";
import { typeOfField } from "@miranda/contract/call-inputs/field-types.ts";
import type { InputProblem } from "@miranda/contract/schemas/deployments/calls.ts";
import type { Channel } from "@miranda/contract/schemas/deployments/deployments.ts";
import type { ReleaseForm } from "@miranda/contract/schemas/deployments/release-forms.ts";
import { FileValue } from "@miranda/contract/schemas/files.ts";
import { createHash } from "node:crypto";

import type { Db } from "../../platform/database/database.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { InputsRefusal } from "../call-inputs/call-inputs-service.ts";
import type { Calls } from "../calls/calls-service.ts";
import type { Deployments, SeenDeployment } from "../deployments/deployments-service.ts";
import { type ScheduleRow, scheduleQueries } from "./schedules-queries.ts";

interface Dependencies {
  db: Db;
  deployments: Pick<Deployments, "forView">;
  calls: Pick<Calls, "make">;
}

type Called = Pick<ScheduleRow, "deployment_id" | "channel" | "inputs">;
type Asker = Pick<Caller, "accountId" | "isAdmin" | "onlyProject">;

export type ScheduledCalls = ReturnType<typeof createScheduledCalls>;

/** Calls that schedules make, in the name of somebody who may release the deployment. */
export function createScheduledCalls({ db, deployments, calls }: Dependencies) {
  const queries = scheduleQueries(db);

  /** Refuses files that were not uploaded for schedules of this deployment: others' files must not be read by naming them. */
  async function readFiles(
    deploymentId: string,
    fields: ReleaseForm["fields"],
    given: Record<string, unknown>,
  ): Promise<{ hashes: string[]; problems: InputProblem[] }> {
    const named = fields.filter(
      (field) =>
        typeOfField(field) === "file" && isGiven(given[field.name]) && !isSameFile(given[field.name], field.default),
    );
    if (named.length === 0) return { hashes: [], problems: [] };
    const values = named.map(({ name, label }) => ({ name, label, value: FileValue.safeParse(given[name]).data }));
    const hashes = values.flatMap(({ value }) => (value ? [value.file] : []));
    const sizes = await queries.fileSizes(deploymentId, hashes);
    const problems = values
      .filter(({ value }) => !value || sizes.get(value.file) !== value.size)
      .map(({ name, label }) => ({
        field: name,
        message: `${label} must be a file that was uploaded for a schedule.`,
      }));
    return { hashes, problems };
  }

  /** The inputs with their defaults, once nothing is wrong with them. */
  async function readInputs({ deployment_id, inputs: given }: Called, form: ReleaseForm) {
    const checked = checkInputs(form.fields, given, "json");
    const { hashes, problems } = await readFiles(deployment_id, form.fields, given);
    const all = "problems" in checked ? [...checked.problems, ...problems] : problems;
    if ("problems" in checked || all.length > 0) throw new InputsRefusal(all);
    return { inputs: checked.inputs, files: hashes };
  }

  async function releaseFor(caller: Asker, deploymentId: string, channel: Channel): Promise<SeenDeployment> {
    const { accountId, isAdmin, onlyProject } = caller;
    const seen = await deployments.forView({ accountId, isAdmin, onlyProject }, deploymentId, channel);
    if (seen.right !== "release" && seen.right !== "manage") throw new AppError("deployment_not_found");
    return seen;
  }

  return {
    /** Refuses inputs that the release of the channel does not take. */
    async check(caller: Asker, called: Called): Promise<void> {
      const { release } = await releaseFor(caller, called.deployment_id, called.channel);
      if (!release) throw new AppError("deployment_empty");
      await readInputs(called, release.form);
    },

    /** With the same key, the same call is made once. */
    async make(caller: Asker, schedule: Called & { schedule_id: string }, key?: string) {
      const { channel, schedule_id: scheduleId } = schedule;
      const { deployment, release, refusal } = await releaseFor(caller, schedule.deployment_id, channel);
      if (refusal) throw refusal;
      if (!release) throw new AppError("deployment_empty");
      const { inputs, files } = await readInputs(schedule, release.form);
      const bodyHash = key === undefined ? undefined : createHash("sha256").update(key).digest();
      return calls.make({
        ...{ deployment, release, channel, via: "schedule", accountId: caller.accountId, scheduleId, inputs, files },
        ...{ visitorHash: null, tokenId: null },
        idempotency: key === undefined || !bodyHash ? undefined : { key, bodyHash },
      });
    },
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

/** The file of the release itself, which its sessions may read anyway. */
function isSameFile(given: unknown, own: unknown): boolean {
  const hash = FileValue.safeParse(given).data?.file;
  return hash !== undefined && hash === FileValue.safeParse(own).data?.file;
}
