import { createTransport } from "nodemailer";

import { openEngine } from "../engines/open-engine.ts";
import { createProviderClient } from "../features/auth/providers/provider-client.ts";
import { messageOf } from "../platform/errors/error-details.ts";
import { openRedis } from "../platform/redis.ts";
import type { Config } from "../platform/settings/config.ts";
import { type Finding, ok, problem, warning } from "./findings.ts";

const timeoutMs = 5_000;

export async function checkEngine({ processors, dataFolder, host }: Config): Promise<Finding[]> {
  const part = "Engine";
  try {
    const engine = await openEngine(processors, {
      ...{ dataFolder, host, installation: "doctor", address: () => "", log: () => undefined },
    });
    await engine.list();
    const warnings = engine.warnings.map(({ message }) =>
      warning("Sandbox", message, "Install bubblewrap and pasta (Debian: apt-get install bubblewrap passt)."),
    );
    return [ok(part, `${engine.name} answers`), ...warnings];
  } catch (error) {
    return [problem(part, messageOf(error), "See docs/operations.md, Processors and Containers.")];
  }
}

export async function checkRedis({ redisUrl }: Config): Promise<Finding | undefined> {
  if (redisUrl === undefined) return undefined;
  try {
    const redis = await openRedis(redisUrl, () => undefined);
    await redis.client.ping();
    await redis.close();
    return ok("Redis", "answers");
  } catch (error) {
    return problem("Redis", messageOf(error), "Start it, or correct REDIS_URL.");
  }
}

/** Whether people reach this installation by the address that they type. */
export async function checkPublicUrl({ publicUrl, host }: Config): Promise<Finding> {
  const part = "PUBLIC_URL";
  if (publicUrl === undefined)
    return host === "127.0.0.1" || host === "localhost" || host === "::1"
      ? ok(part, "not set: only this machine reaches the server")
      : warning(part, "not set, and the server listens for others", "Set PUBLIC_URL to the address that people type.");
  const address = new URL("/healthz", publicUrl);
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(timeoutMs), redirect: "manual" });
    if (answer.status !== 200)
      return problem(
        part,
        `${address.href} answers with ${answer.status}`,
        "Correct the proxy: it must hand every path to the server.",
      );
  } catch (error) {
    return warning(
      part,
      `${address.href} does not answer (${messageOf(error)})`,
      "Start the server, or correct the proxy or the name.",
    );
  }
  return address.protocol === "https:" || address.hostname === "localhost"
    ? ok(part, `${publicUrl} leads here`)
    : warning(
        part,
        `${publicUrl} is not encrypted`,
        "Put a proxy with a certificate in front, and set PUBLIC_URL to https://…",
      );
}

export async function checkMail({ mail }: Config): Promise<Finding> {
  const part = "Mail";
  if (!mail) return ok(part, "not set: people reset their password by a link of an administrator");
  const transport = createTransport({ url: mail.smtpUrl, connectionTimeout: timeoutMs, greetingTimeout: timeoutMs });
  try {
    await transport.verify();
    return ok(part, "the mail server accepts us");
  } catch (error) {
    // The address holds a password.
    return problem(part, messageOf(error).replaceAll(mail.smtpUrl, "…"), "Correct MIRANDA_SMTP_URL.");
  } finally {
    transport.close();
  }
}

/** Whether each provider that people sign in with answers, under its own name, and knows this installation. */
export async function checkProviders({ providers, publicUrl = "" }: Config): Promise<Finding[]> {
  return Promise.all(
    providers.map(async (settings) => {
      const { id, issuer } = settings;
      const part = `Provider ${id}`;
      const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
      try {
        const answer = await fetch(address, { signal: AbortSignal.timeout(timeoutMs) });
        const found: unknown = answer.ok ? await answer.json() : undefined;
        if (typeof found !== "object" || found === null || !("issuer" in found))
          return problem(part, `${address} gives no configuration (${answer.status})`, "Correct its issuer.");
        if (found.issuer !== issuer)
          return problem(part, `it calls itself ${String(found.issuer)}`, "Write the issuer exactly like this.");
        const client = createProviderClient(settings, publicUrl.replace(/\/$/, ""), () => undefined);
        return (await client.isRefused())
          ? problem(part, "it refuses the client", "Correct client_id and client_secret in MIRANDA_OIDC_PROVIDERS.")
          : ok(part, "answers");
      } catch (error) {
        return problem(part, `${address} does not answer (${messageOf(error)})`, "Correct its issuer, or wait for it.");
      }
    }),
  );
}
