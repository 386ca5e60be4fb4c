import { readFileSync } from "node:fs";
import { z } from "zod";

import { StartupError } from "../errors/startup-error.ts";
import { wantedPart } from "./wrong-setting.ts";

export const providerEnvironment = { MIRANDA_OIDC_PROVIDERS: z.string().trim().min(1).optional() };

const Text = z.string().trim().min(1).max(500);
const Words = z.union([z.array(Text), Text.transform((text) => text.split(/\s+/))]);

const Provider = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "lower-case letters, digits and dashes"),
    name: Text.max(60),
    issuer: z.url({ protocol: /^https?$/ }).refine(isSafe, "at https:, unless the provider is on this machine"),
    client_id: Text,
    client_secret: Text.optional(),
    client_auth: z.enum(["basic", "post"]).optional(),
    scopes: Words.default(["openid", "profile", "email"]).refine(
      (list) => list.includes("openid"),
      "a list with openid",
    ),
    groups_claim: Text.default("groups"),
    admin_groups: z.array(Text).default([]),
    allow_registration: z.union([z.boolean(), z.literal("always")]).default(true),
    sign_out: z.boolean().default(true),
  })
  .transform((given) => ({
    id: given.id,
    name: given.name,
    issuer: given.issuer,
    clientId: given.client_id,
    clientSecret: given.client_secret,
    /** How the secret is sent. Undefined: as the provider wants it. */
    clientAuth: given.client_auth,
    scopes: given.scopes,
    groupsClaim: given.groups_claim,
    /** People in one of these groups are administrators, others are not. Empty: groups decide nothing. */
    adminGroups: given.admin_groups,
    /** Whether it makes new accounts: as the installation's registration allows, always, or never. */
    registration: given.allow_registration,
    /** Whether signing out here signs out there too. */
    signOut: given.sign_out,
  }));

/** An OpenID Connect provider that people can sign in with. */
export type ProviderSettings = z.output<typeof Provider>;

const name = "MIRANDA_OIDC_PROVIDERS";

/** The setting is a JSON list, or the path of a file that has one. */
export function toProviderSettings(given: string | undefined, publicUrl: string | undefined): ProviderSettings[] {
  if (given === undefined) return [];
  if (!publicUrl) throw new StartupError(`${name} needs PUBLIC_URL: providers send people back to it.`);
  const parsed = z.array(Provider).safeParse(readList(given.startsWith("[") ? given : readText(given)));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new StartupError(
      `The setting ${name} is wrong at ${issue?.path.join(".") || "its list"}: ${wantedPart(issue)}. See docs/operations.md.`,
    );
  }
  const ids = parsed.data.map(({ id }) => id);
  if (new Set(ids).size < ids.length) throw new StartupError(`${name} has two providers with the same id.`);
  return parsed.data;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new StartupError(`${name} is neither a JSON list nor a file that can be read.`);
  }
}

function readList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Without the parser's words: they would print a part of the secrets.
    throw new StartupError(`${name} is not valid JSON.`);
  }
}

/** Over http, whoever is on the way could sign in as anybody. */
function isSafe(issuer: string): boolean {
  // Refused already, as no address.
  if (!URL.canParse(issuer)) return true;
  const { protocol, hostname } = new URL(issuer);
  return (
    protocol === "https:" || hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname)
  );
}
