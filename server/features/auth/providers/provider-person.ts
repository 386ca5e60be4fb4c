import { formText } from "@miranda/contract/limits.ts";
import { z } from "zod";

import type { ProviderSettings } from "../../../platform/settings/provider-settings.ts";

/** What a provider says about a person. */
export interface ProviderPerson {
  /** Names the person at the provider for ever. */
  subject: string;
  /** Empty when the provider gives none, or one that nobody could write to. */
  email: string;
  isEmailVerified: boolean;
  firstName: string;
  lastName: string;
  /** A username that may be taken already. */
  username: string;
  groups: string[];
  /** The provider asked for a second factor. */
  usedSecondFactor: boolean;
}

const Email = z.email().max(formText.emailMax);

/** Everything but the subject may be missing or of any kind: providers differ, and people edit their profiles. */
export function toPerson(claims: Record<string, unknown>, { groupsClaim }: ProviderSettings): ProviderPerson {
  const text = (name: string) => {
    const value = claims[name];
    return typeof value === "string" ? value.toWellFormed().replaceAll("\u0000", "").trim() : "";
  };
  const email = Email.safeParse(text("email")).data ?? "";
  const [first = "", ...others] = text("name").split(/\s+/);
  const username = usernameFrom(text("preferred_username"), text("nickname"), email.split("@")[0] ?? "", text("name"));
  return {
    subject: text("sub").slice(0, 500),
    email,
    isEmailVerified: email !== "" && claims["email_verified"] === true,
    firstName: (text("given_name") || first || username).slice(0, formText.personNameMax),
    lastName: (text("family_name") || others.join(" ")).slice(0, formText.personNameMax),
    username,
    groups: listOf(claims[groupsClaim]),
    usedSecondFactor: listOf(claims["amr"]).includes("mfa"),
  };
}

function listOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** The first of these names that can be made into a username. */
function usernameFrom(...names: string[]): string {
  for (const name of names) {
    const plain = (name.split("@")[0] ?? "").normalize("NFKD").replaceAll(/[^a-zA-Z0-9._-]/g, "");
    // Room for a number, should the name be taken.
    const cut = plain.slice(0, formText.usernameMax - 6).replaceAll(/^[._-]+|[._-]+$/g, "");
    if (cut.length >= formText.usernameMin) return cut;
  }
  return "person";
}
