import type { InstallationSettings } from "@miranda/contract/schemas/admin.ts";

import { AppError } from "../../platform/errors/app-error.ts";

type Rule = Pick<InstallationSettings, "registration" | "registration_domains">;

/** Refuses somebody who may not register without an invitation. */
export function requireRegistration({ registration, registration_domains: domains }: Rule, email: string): void {
  if (registration === "open") return;
  if (registration === "invitation") throw new AppError("registration_invitation");
  if (registration === "closed") throw new AppError("registration_closed");
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  if (!domains.includes(domain)) throw new AppError("registration_domains", domainWords(domains));
}

function domainWords(domains: readonly string[]): string {
  return `Only people with an e-mail address at ${domains.join(", ")} can register.`;
}
