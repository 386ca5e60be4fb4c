import { MailCheck } from "lucide-react";
import { useState } from "react";

import { useAccount } from "../../api/account/session.ts";
import { sendConfirmation } from "../../api/account/email.ts";
import { messageOf } from "../../message-of.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/overlay/toast.ts";

/** Asks quietly to confirm the e-mail address. Everything works without it. */
export function ConfirmEmailBar() {
  const { email } = useAccount();
  const [busy, setBusy] = useState(false);
  const [sent, setSent] = useState(false);

  async function send() {
    setBusy(true);
    try {
      await sendConfirmation();
      setSent(true);
    } catch (cause) {
      toast.error(messageOf(cause));
    } finally {
      setBusy(false);
    }
  }

  return (
    <section
      aria-label="Confirm your e-mail address"
      data-testid="confirm-email"
      className="flex items-center gap-3 border-b border-line bg-sunken px-3 py-1.5 text-sm sm:px-4"
    >
      <MailCheck className="size-4 shrink-0 text-ink-muted" aria-hidden="true" />
      <p className="min-w-0 flex-1 wrap-anywhere">
        <span className="font-medium">Confirm your e-mail address.</span>{" "}
        <span className="text-ink-muted">
          {sent ? "A new mail is on its way to" : "A mail with a link was sent to"} {email}.
        </span>
      </p>
      <Button size="sm" busy={busy} disabled={sent} onClick={() => void send()}>
        {sent ? "Sent" : "Send again"}
      </Button>
    </section>
  );
}
