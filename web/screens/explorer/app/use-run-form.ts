import { useRef, useState } from "react";

import type { InputProblem } from "@miranda/contract/schemas/deployments/calls.ts";
import type { Call } from "@miranda/contract/schemas/deployments/calls.ts";

import { doorKey } from "../../../api/apps/app-door.ts";
import { useCallActions } from "../../../api/apps/calls.ts";
import { HttpError } from "../../../api/http.ts";
import { messageOf } from "../../../message-of.ts";
import { checkForm, type FormValues, startValues } from "../../../panels/app-form/form-values.ts";
import type { AppPage } from "./app-page.ts";
import { newKey } from "./new-key.ts";
import { useFormDraft } from "./use-form-draft.ts";

interface RunFormOptions {
  page: AppPage;
  /** The call whose inputs the form begins with. */
  earlier: Pick<Call, "id" | "inputs"> | undefined;
  onMade: (call: Call) => void;
  onProblems: (problems: readonly InputProblem[]) => void;
}

/** The state of a form: what was typed, what is wrong with it, and the call that it makes. */
export function useRunForm({ page: { app, door }, earlier, onMade, onProblems }: RunFormOptions) {
  const draftKey = `app form ${doorKey(door)} ${app.release} ${earlier?.id ?? "new"}`;
  const begin = () => startValues(app.fields, earlier?.inputs);
  const draft = useFormDraft(draftKey, {
    onFile: (field, file) => setValues((now) => ({ ...now, [field]: file })),
    onGone: (field, name) =>
      setProblems((now) => [...now, { field, message: `This browser did not keep ${name}. Choose it again.` }]),
  });
  const [values, setValues] = useState<FormValues>(() => ({ ...begin(), ...draft.values }));
  const [problems, setProblems] = useState<readonly InputProblem[]>([]);
  const [sent, setSent] = useState<number | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const sending = useRef<string>(undefined);
  const { send } = useCallActions(door);

  function refuse(found: readonly InputProblem[], words: string | null) {
    setProblems(found);
    setError(words);
    onProblems(found);
  }

  async function run(): Promise<void> {
    if (busy) return;
    const checked = checkForm(app.fields, values);
    if ("problems" in checked) return refuse(checked.problems, null);
    setBusy(true);
    refuse([], null);
    // Kept until the call is known to be made: when only its answer was lost, the next try finds it.
    const key = (sending.current ??= newKey());
    try {
      const made = await send({ inputs: checked.inputs, key, onProgress: setSent });
      sending.current = undefined;
      draft.drop();
      onMade(made);
    } catch (cause) {
      if (cause instanceof HttpError) sending.current = undefined;
      const found = cause instanceof HttpError ? cause.problems : [];
      const isAtField = found.length > 0 && found.every(({ field }) => app.fields.some(({ name }) => name === field));
      refuse(found, isAtField ? null : messageOf(cause));
    } finally {
      setBusy(false);
      setSent(null);
    }
  }

  return {
    values,
    problems,
    error,
    busy,
    /** How much of the files has been sent, from 0 to 1. Null when there are none. */
    sent,
    run,
    isChanged: isChanged(values, begin()),
    change(name: string, value: unknown) {
      const next = { ...values, [name]: value };
      sending.current = undefined;
      setValues(next);
      setProblems(problems.filter(({ field }) => field !== name));
      draft.keep(next, name);
    },
    reset() {
      draft.drop();
      setValues(begin());
      refuse([], null);
    },
  };
}

/** A file is written as an empty object in JSON, so it is compared by itself. */
function isChanged(values: FormValues, before: FormValues): boolean {
  const files = Object.values(values).some((value) => value instanceof File);
  return files || JSON.stringify(values) !== JSON.stringify(before);
}
