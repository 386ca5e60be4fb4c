import { createHash } from "node:crypto";
import { createTransport } from "nodemailer";
import { z } from "zod";

import type { Cipher } from "../cipher.ts";
import { newId } from "../crypto.ts";
import type { Db } from "../database/database.ts";
import { AppError } from "../errors/app-error.ts";
import type { RateLimits } from "../limits/rate-limits.ts";
import { createPolledWork } from "../polled-work.ts";
import type { MailSettings } from "../settings/mail-settings.ts";
import { mails as limits } from "./mail-limits.ts";
import { createMailQueries, type TakenMail } from "./mail-queries.ts";

// A line break would add headers of its own.
const OneLine = z.string().regex(/^[^\r\n\0]+$/);

const MailMessage = z.object({ to: z.email().and(OneLine), subject: OneLine.max(200), text: z.string().max(20_000) });
export type MailMessage = z.infer<typeof MailMessage>;

export type MailPurpose = keyof typeof limits.perAddress;

interface Dependencies {
  settings: MailSettings | undefined;
  publicUrl: string | undefined;
  db: Db;
  cipher: Cipher;
  rateLimits: Pick<RateLimits, "take">;
  report: (error: unknown) => void;
}

export type Mail = ReturnType<typeof createMail>;

/**
 * Mails wait in the database until the mail server has taken them, so that no request waits for it and none is lost
 * with a server. They are sealed, because their links let people in.
 */
export function createMail({ settings, publicUrl, db, cipher, rateLimits, report }: Dependencies) {
  const transport = settings && createTransport(settings.smtpUrl, { ...safety, from: settings.from });
  const queries = createMailQueries(db);
  const work = createPolledWork({ work: sendDue, every: limits.every, report });

  async function sendDue(): Promise<boolean> {
    if (!transport) return false;
    const taken = await queries.take(limits.atOnce, limits.lease / 1_000);
    await Promise.all(taken.map(deliver));
    return taken.length === limits.atOnce;
  }

  async function deliver({ id, content, tries }: TakenMail): Promise<void> {
    const message = openMessage(content);
    if (!message) return void (await queries.delete(id));
    const { to, subject, text } = message;
    try {
      // As an object: a text could be read as several addresses.
      await transport?.sendMail({ to: { name: "", address: to }, subject, text, ...plain });
      await queries.delete(id);
    } catch (error) {
      const pause = isFinal(error) ? undefined : limits.pauses[tries - 1];
      report(new Error(`A mail could not be sent (try ${tries}${pause ? "" : ", the last"}): ${reasonOf(error)}`));
      if (pause === undefined) await queries.delete(id);
      else await queries.delay(id, pause / 1_000);
    }
  }

  function openMessage(content: Buffer): MailMessage | undefined {
    try {
      return MailMessage.parse(JSON.parse(cipher.decrypt(content)));
    } catch {
      report(new Error("A waiting mail cannot be read any more. It is dropped."));
      return undefined;
    }
  }

  return {
    ...work,
    configured: transport !== undefined,

    /** The address of a page of this installation, for a mail. */
    linkTo: (path: string): string => (publicUrl ?? "").replace(/\/$/, "") + path,

    /**
     * Counts a mail to an address, and refuses when it gets too many. Call it before anything is changed for the mail,
     * and outside of transactions: it needs a connection of its own.
     */
    async allow(purpose: MailPurpose, to: string): Promise<void> {
      const most = limits.perAddress[purpose];
      await rateLimits.take([{ key: ["mail", purpose, addressHash(to)], most, windowMinutes: 60 }]);
    },

    /** Keeps a mail until it is sent. With a transaction, it is sent only if that succeeds: call `wake` after it. */
    async send(message: MailMessage, trx: Db = db): Promise<void> {
      if (!transport) throw new AppError("mail_off");
      const checked = MailMessage.safeParse(message);
      if (!checked.success) throw new AppError("bad_request", "This mail cannot be sent.");
      await createMailQueries(trx).insert(newId(), cipher.encrypt(JSON.stringify(checked.data)));
      if (trx === db) work.wake();
    },

    async close(): Promise<void> {
      await work.close();
      transport?.close();
    },
  };
}

const safety = {
  connectionTimeout: limits.timeout,
  greetingTimeout: limits.timeout,
  socketTimeout: limits.timeout,
  disableFileAccess: true,
  disableUrlAccess: true,
};
const plain = { textEncoding: "quoted-printable", headers: { "Auto-Submitted": "auto-generated" } } as const;

/** The mail server will refuse it again: the address is unknown, or the mail is not welcome. */
function isFinal(error: unknown): boolean {
  const code = answerOf(error);
  // 5xx while signing in or greeting is about our settings, which an operator corrects.
  return code >= 500 && error instanceof Error && "code" in error && error.code === "EENVELOPE";
}

function answerOf(error: unknown): number {
  return error instanceof Error && "responseCode" in error ? Number(error.responseCode) : 0;
}

/** Without the mail server's own words: they may have the address, or the password that it was given. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  return answerOf(error) > 0 ? `${code} ${answerOf(error)}` : code;
}

function addressHash(address: string): string {
  return createHash("sha256").update(address.toLowerCase()).digest("hex");
}
