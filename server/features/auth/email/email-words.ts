import type { MailMessage } from "../../../platform/mail/mail.ts";

interface To {
  email: string;
  first_name: string;
}

export function confirmationMail({ email, first_name }: To, link: string): MailMessage {
  return {
    to: email,
    subject: "Confirm your e-mail address",
    text: `${greeting(first_name)}

Please confirm that this is your e-mail address for Miranda:

${link}

The link works once, for three days.

If you do not have an account at Miranda, ignore this mail.
`,
  };
}

export function passwordResetMail({ email, first_name }: To, username: string, link: string): MailMessage {
  return {
    to: email,
    subject: "Set a new password",
    text: `${greeting(first_name)}

Somebody asked for a new password for your Miranda account ${username}. If it was you, set it here:

${link}

The link works once, for one hour. It signs you out everywhere.

If it was not you, ignore this mail. Your password stays as it is.
`,
  };
}

/** On one line: a name must not write parts of the mail. */
function greeting(firstName: string): string {
  return `Hello ${firstName.replaceAll(/[\s:/.]+/g, " ").trim() || "there"},`;
}
