import { once } from "node:events";
import { SMTPServer } from "smtp-server";

import type { MailSettings } from "../platform/settings/mail-settings.ts";

export interface ReceivedMail {
  from: string;
  to: string[];
  subject: string;
  text: string;
  /** The whole mail as it came. */
  raw: string;
}

export interface MailServer {
  settings: MailSettings;
  mails: ReceivedMail[];
  /** The next mail to this address that nobody has waited for. */
  next(to: string): Promise<ReceivedMail>;
  /** Refuses mails with this answer until it is undefined again. */
  refuseWith(answer: { code: number; words: string } | undefined): void;
  close(): Promise<void>;
}

/** A real mail server that keeps what it is given, from anybody or only with a password. */
export async function startMailServer(login?: { user: string; password: string }): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const seen = new Set<ReceivedMail>();
  let refusal: { code: number; words: string } | undefined;
  let arrived = Promise.withResolvers<void>();
  const server = new SMTPServer({
    authOptional: login === undefined,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      if (username === login?.user && password === login?.password) done(null, { user: username });
      else done(new Error("the password is wrong"));
    },
    disabledCommands: ["STARTTLS"],
    onRcptTo(_address, _session, done) {
      done(refusal ? Object.assign(new Error(refusal.words), { responseCode: refusal.code }) : null);
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const raw = Buffer.concat(chunks).toString();
        const from = mailFrom === false ? "" : mailFrom.address;
        mails.push({ from, to: rcptTo.map(({ address }) => address), ...parse(raw) });
        arrived.resolve();
        arrived = Promise.withResolvers();
        done();
      });
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const address = server.server.address();
  const port = typeof address === "object" && address ? address.port : 0;

  return {
    settings: {
      smtpUrl: `smtp://127.0.0.1:${port}`,
      from: { name: "Miranda", address: "miranda@example.org" },
    },
    mails,
    async next(to) {
      for (;;) {
        const mail = mails.find((one) => one.to.includes(to) && !seen.has(one));
        if (mail) {
          seen.add(mail);
          return mail;
        }
        await arrived.promise;
      }
    },
    refuseWith: (answer) => (refusal = answer),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function parse(raw: string): Pick<ReceivedMail, "subject" | "text" | "raw"> {
  const [head = "", ...body] = raw.split("\r\n\r\n");
  const subject = /^Subject: (.*)$/im.exec(head)?.[1] ?? "";
  const joined = body.join("\r\n\r\n").replaceAll("=\r\n", "");
  const bytes = joined.replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCodePoint(parseInt(hex, 16)));
  return { subject, text: Buffer.from(bytes, "latin1").toString().replaceAll("\r\n", "\n"), raw };
}

/** The path of the first link in a mail. */
export function linkIn({ text }: ReceivedMail): string {
  const link = /https?:\/\/[^/\s]+(\/\S*)/.exec(text)?.[1];
  if (!link) throw new Error(`There is no link in this mail:\n${text}`);
  return link;
}
