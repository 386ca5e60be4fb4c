import { z } from "zod";

import { StartupError } from "../errors/startup-error.ts";

const From = z
  .string()
  .trim()
  .max(320)
  .regex(/^(?:[^<>\r\n"]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, "an address, or a name and <an address>");

export const mailEnvironment = {
  MIRANDA_SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  MIRANDA_MAIL_FROM: From.optional(),
};

export interface MailSettings {
  /** Where mails are handed in, with the user name and password if it wants them. */
  smtpUrl: string;
  from: { name: string; address: string };
}

type Values = z.infer<z.ZodObject<typeof mailEnvironment>>;

export function toMailSettings(value: Values, publicUrl: string | undefined): MailSettings | undefined {
  const { MIRANDA_SMTP_URL: smtpUrl, MIRANDA_MAIL_FROM: from } = value;
  if (!smtpUrl) return undefined;
  if (!from) throw new StartupError("MIRANDA_SMTP_URL needs MIRANDA_MAIL_FROM, the address that mails come from.");
  // The Host header of a request must never decide where a link in a mail leads.
  if (!publicUrl) throw new StartupError("MIRANDA_SMTP_URL needs PUBLIC_URL: mails have links to this installation.");
  const [, name = "", address = from] = /^([^<]*)<([^>]+)>$/.exec(from) ?? [];
  return { smtpUrl, from: { name: name.trim(), address } };
}
