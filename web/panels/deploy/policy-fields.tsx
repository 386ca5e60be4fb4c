import { deployment as limits } from "@miranda/contract/limits.ts";
import type { DeploymentPatch, DeploymentPolicy } from "@miranda/contract/schemas/deployments/deployments.ts";

import { useMoneyShown } from "../../api/billing/money-shown.ts";
import { useCurrency } from "../../api/settings.ts";
import { ChoiceGroup } from "../../ui/form/choice-group.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { fieldText } from "../../ui/form/use-form.ts";

/** As the server has them for a new deployment. */
export const usualPolicy: DeploymentPolicy = {
  at_once: 2,
  warm: 0,
  idle_minutes: 10,
  queue_max: 100,
  call_budget: null,
  day_budget: null,
  call_seconds: null,
  payer: "owner",
  compute: null,
};

/** How many calls run at once, on which compute, and what they may cost. Inputs of a form: `policyOf` reads them. */
export function PolicyFields({ policy }: { policy: DeploymentPolicy }) {
  const currency = useCurrency();
  // Hidden and not left out: what is not sent would be changed.
  const ofMoney = useMoneyShown() ? "contents" : "hidden";
  return (
    <div className="flex flex-col gap-5">
      <div className={ofMoney}>
        <ChoiceGroup
          legend="Who pays"
          name="payer"
          defaultValue={policy.payer}
          className="sm:grid-cols-2"
          options={[
            { value: "owner", label: "The owner, or the project if it pays" },
            { value: "caller", label: "The person who calls it" },
          ]}
        />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <div className={ofMoney}>
          <TextField
            label={`Most that one call may cost, in ${currency}`}
            name="call_budget"
            {...{ type: "number", step: "any", min: 0, optional: true, placeholder: "No limit" }}
            defaultValue={policy.call_budget ?? ""}
            hint="A call that costs more is stopped."
          />
          <TextField
            label={`Most that all calls of a day may cost, in ${currency}`}
            name="day_budget"
            {...{ type: "number", step: "any", min: 0, optional: true, placeholder: "No limit" }}
            defaultValue={policy.day_budget ?? ""}
            hint="Once it is used up, calls are refused until the next day."
          />
        </div>
        <TextField
          label="Longest call, in seconds"
          name="call_seconds"
          {...{ type: "number", min: 1, max: limits.callSecondsMax, optional: true, placeholder: "No limit" }}
          defaultValue={policy.call_seconds ?? ""}
        />
        <TextField
          label="Calls that may wait"
          name="queue_max"
          {...{ type: "number", min: 0, max: limits.queueMax, required: true }}
          defaultValue={policy.queue_max}
          hint="Further calls are refused."
        />
        <TextField
          label="Calls at once"
          name="at_once"
          {...{ type: "number", min: 1, max: limits.atOnceMax, required: true }}
          defaultValue={policy.at_once}
          hint="Each needs a processor of its own."
        />
        <TextField
          label="Processors kept warm"
          name="warm"
          {...{ type: "number", min: 0, max: limits.atOnceMax, required: true }}
          defaultValue={policy.warm}
          hint="Ready at once, but they cost while nobody calls."
        />
        <TextField
          label="Minutes until other processors end"
          name="idle_minutes"
          {...{ type: "number", min: 1, max: 1_440, required: true }}
          defaultValue={policy.idle_minutes}
          hint="Counted while they have no call."
        />
        <fieldset className="min-w-0">
          <legend className="mb-1.5 text-sm font-medium">Compute of each processor</legend>
          <div className="grid grid-cols-2 gap-2">
            <TextField
              label="Cores"
              name="cpu"
              {...{ type: "number", step: "any", min: 0.1, max: 256, placeholder: "As in the workflow" }}
              defaultValue={policy.compute?.cpu ?? ""}
            />
            <TextField
              label="Memory, in GB"
              name="ram_gb"
              {...{ type: "number", step: "any", min: 0.1, max: 4_096, placeholder: "As in the workflow" }}
              defaultValue={policy.compute?.ram_gb ?? ""}
            />
          </div>
        </fieldset>
      </div>
    </div>
  );
}

type PolicyPatch = Required<Pick<DeploymentPatch, keyof DeploymentPolicy>>;

export function policyOf(form: FormData): PolicyPatch {
  const number = (name: string): number => Number(fieldText(form, name));
  const orNull = (name: string): number | null => (fieldText(form, name).trim() === "" ? null : number(name));
  const [cpu, ram] = [orNull("cpu"), orNull("ram_gb")];
  if ((cpu === null) !== (ram === null)) throw new Error("Give both the cores and the memory, or neither.");
  return {
    at_once: number("at_once"),
    warm: number("warm"),
    idle_minutes: number("idle_minutes"),
    queue_max: number("queue_max"),
    call_budget: orNull("call_budget"),
    day_budget: orNull("day_budget"),
    call_seconds: orNull("call_seconds"),
    payer: fieldText(form, "payer") === "caller" ? "caller" : "owner",
    compute: cpu === null || ram === null ? null : { cpu, ram_gb: ram },
  };
}
