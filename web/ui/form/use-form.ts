import { type FormEvent, useRef, useState } from "react";

import { messageOf } from "../../message-of.ts";

/** A form that is submitted once at a time. Typed text stays, and a refusal is kept in `error`. */
export function useForm(submit: (form: FormData, element: HTMLFormElement) => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const sending = useRef(false);

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    event.stopPropagation();
    if (sending.current) return;
    const element = event.currentTarget;
    sending.current = true;
    setBusy(true);
    setError(null);
    try {
      await submit(new FormData(element), element);
    } catch (cause) {
      setError(messageOf(cause));
    } finally {
      sending.current = false;
      setBusy(false);
    }
  }

  return { onSubmit, busy, error, clearError: () => setError(null) };
}

/** The text of a form field. A missing field is our mistake, not the person's. */
export function fieldText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value : "";
}
