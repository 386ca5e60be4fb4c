import type { Person } from "@miranda/contract/schemas/account/people.ts";
import type { FactorsOfPerson } from "@miranda/contract/schemas/account/sign-in.ts";

export function trialWords({
  subscribed,
  trial,
  trial_end,
}: Pick<Person, "subscribed" | "trial" | "trial_end">): string {
  if (subscribed) return "Subscribed";
  if (!trial) return "No trial";
  if (trial_end === null) return "No end";
  const day = new Date(trial_end).toLocaleDateString("en", { dateStyle: "medium" });
  return Date.parse(trial_end) < Date.now() ? `Ended ${day}` : `Until ${day}`;
}

/** Which second factors somebody has. */
export function factorsText({ has_app, passkeys, recovery_codes_left: codes }: FactorsOfPerson): string {
  const factors = [
    ...(has_app ? ["an authenticator app"] : []),
    ...(passkeys > 0 ? [passkeys === 1 ? "1 passkey" : `${passkeys} passkeys`] : []),
    codes === 1 ? "1 unused recovery code" : `${codes} unused recovery codes`,
  ];
  return `Has ${new Intl.ListFormat("en").format(factors)}.`;
}
