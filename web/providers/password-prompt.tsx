import { useEffect, useId, useState } from "react";

import type { AskForPasswordEvent } from "@miranda/contract/schemas/realtime.ts";

import { answerPassword } from "../api/secrets.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FormAlert } from "../ui/field.tsx";
import { PasswordField } from "../ui/password-field.tsx";
import { fieldText, useForm } from "../ui/use-form.ts";
import { useGraph } from "./object-provider.tsx";
import { useRealtime } from "./realtime-provider.tsx";

/** Running code asks for a password. Questions are answered one after the other. */
export function PasswordPrompt() {
  const realtime = useRealtime();
  const [questions, setQuestions] = useState<readonly AskForPasswordEvent[]>([]);
  const [answered, setAnswered] = useState(0);
  useEffect(
    () => realtime.on("ask_for_password", (event) => setQuestions((waiting) => [...waiting, event])),
    [realtime],
  );

  // Those who may only read are told that it waits, but their answer would be refused.
  const isViewOnly = useGraph((view) => view.viewOnly);
  const [question] = questions;
  if (!question || isViewOnly) return null;
  const done = () => {
    setQuestions((waiting) => waiting.slice(1));
    setAnswered((count) => count + 1);
  };
  // With the next question comes a field of its own, or the last answer would stand in it.
  return <Question key={answered} question={question} onDone={done} />;
}

function Question({ question, onDone }: { question: AskForPasswordEvent; onDone: () => void }) {
  const formId = useId();
  const form = useForm(async (data) => {
    await answerPassword(question, fieldText(data, "answer"));
    onDone();
  });
  return (
    <Dialog
      open
      onOpenChange={onDone}
      title="A node asks for a password"
      footer={
        <>
          <Button onClick={onDone}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            Send
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} className="flex flex-col gap-3">
        <PasswordField label={question.passwd_prompt} name="answer" autoComplete="off" required />
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
