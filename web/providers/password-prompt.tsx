import { messages } from "@miranda/contract/errors.ts";
import { isAlive } from "@miranda/contract/processor.ts";
import { useEffect, useEffectEvent, useId, useRef, useState } from "react";

import type { AskForPasswordEvent } from "@miranda/contract/schemas/realtime.ts";

import { readOpenQuestions } from "../api/processors.ts";
import { answerPassword } from "../api/secrets.ts";
import { logWarning } from "../log.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FormAlert } from "../ui/field.tsx";
import { PasswordField } from "../ui/password-field.tsx";
import { toast } from "../ui/toast.ts";
import { fieldText, useForm } from "../ui/use-form.ts";
import { useGraph } from "./object-provider.tsx";
import { useRealtime } from "./realtime-provider.tsx";

interface Asked extends AskForPasswordEvent {
  key: number;
}

/** Running code asks for a password. Questions are answered one after the other. */
export function PasswordPrompt({ graphId }: { graphId: string }) {
  const realtime = useRealtime();
  const [questions, setQuestions] = useState<readonly Asked[]>([]);
  const [question] = questions;
  // Those who may only read are told that it waits, but their answer would be refused.
  const isViewOnly = useGraph((view) => view.viewOnly);
  const sending = useRef<Asked>(undefined);
  /** Those that somebody has seen here: whoever has waved one away is not asked again. */
  const seen = useRef(new Set<string>());

  const ask = useEffectEvent((event: AskForPasswordEvent) => {
    if (event.question !== undefined && seen.current.has(event.question)) return;
    if (event.question !== undefined) seen.current.add(event.question);
    setQuestions((waiting) => [...waiting, { ...event, key: (waiting.at(-1)?.key ?? 0) + 1 }]);
  });
  const askMissed = useEffectEvent(async () => {
    try {
      for (const event of (await readOpenQuestions(graphId)) ?? []) ask(event);
    } catch (cause) {
      logWarning("What the processor asks for could not be read.", cause);
    }
  });

  const close = useEffectEvent((isMeant: (name: string) => boolean, notice: string) => {
    const isClosed = (one: Asked) => one.question !== undefined && isMeant(one.question);
    // Whoever sends an answer hears that it has arrived, too.
    if (question && isClosed(question) && question !== sending.current && !isViewOnly) toast.message(notice);
    setQuestions((waiting) => waiting.filter((one) => one === sending.current || !isClosed(one)));
  });
  useEffect(() => {
    const offs = [
      realtime.on("ask_for_password", ask),
      realtime.on("password_closed", (event) =>
        close(
          (name) => name === event.question,
          event.answered ? messages.passwordAnswered : messages.passwordWithdrawn,
        ),
      ),
      realtime.on("update[DOCKER_JOB]", ({ id, workflow_state }) => {
        if (!isAlive(workflow_state)) close((name) => name.startsWith(`${id}.`), messages.passwordWithdrawn);
      }),
    ];
    return () => offs.forEach((off) => off());
  }, [realtime]);
  useEffect(() => {
    if (isViewOnly) return;
    void askMissed();
    // Whoever enters, also after a break, is told who is there; what was asked before, they have not heard.
    return realtime.on("project_members", () => void askMissed());
  }, [realtime, isViewOnly]);

  if (!question || isViewOnly) return null;
  const done = () => setQuestions((waiting) => waiting.filter((one) => one !== question));
  const send = async (answer: string) => {
    sending.current = question;
    try {
      await answerPassword(question, answer);
    } finally {
      sending.current = undefined;
    }
    done();
  };
  // With the next question comes a field of its own, or the last answer would stand in it.
  return <Question key={question.key} prompt={question.passwd_prompt} onAnswer={send} onDone={done} />;
}

interface QuestionProps {
  prompt: string;
  onAnswer: (answer: string) => Promise<void>;
  onDone: () => void;
}

function Question({ prompt, onAnswer, onDone }: QuestionProps) {
  const formId = useId();
  const form = useForm((data) => onAnswer(fieldText(data, "answer")));
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
        <PasswordField label={prompt} name="answer" autoComplete="off" required />
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
