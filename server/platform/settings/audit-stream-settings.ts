import { isAbsolute } from "node:path";
import { z } from "zod";

export type AuditTarget = { file: string } | { protocol: "tcp" | "udp"; host: string; port: number };

const words = "it is the whole path of a file, syslog://host:514 (TCP) or syslog+udp://host:514";

export const auditStreamEnvironment = {
  MIRANDA_AUDIT_STREAM: z
    .string()
    .min(1)
    .refine((text) => auditTargetOf(text) !== undefined, words)
    .optional(),
};

/** Where records of the audit log go. Undefined when the text names nothing. */
export function auditTargetOf(text: string): AuditTarget | undefined {
  if (isAbsolute(text)) return text.endsWith("/") ? undefined : { file: text };
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, pathname, search, username } = new URL(text);
  if (!["syslog:", "syslog+udp:"].includes(protocol) || hostname === "" || username !== "") return undefined;
  if (!["", "/"].includes(pathname) || search !== "") return undefined;
  const host = hostname.replace(/^\[|\]$/g, "");
  return { protocol: protocol === "syslog:" ? "tcp" : "udp", host, port: port === "" ? 514 : Number(port) };
}
