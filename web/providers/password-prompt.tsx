import { messages } from "@miranda/contract/words/messages.ts";
import { processor as limits } from "@miranda/contract/limits.ts";
import { isAlive } from "@miranda/contract/processor.ts";
import { useEffect, useEffectEvent, useId, useRef, useState } from "react";

import type { AskForPasswordEvent } from "@miranda/contract/schemas/realtime.ts";

import { answerInput, readOpenQuestions } from "../api/jobs/processors.ts";
import { answerPassword } from "../api/secrets.ts";
import { logWarning } from "../log.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { FormAlert, TextField } from "../ui/form/field.tsx";
import { PasswordField } from "../ui/form/password-field.tsx";
import { toast } from "../ui/overlay/toast.ts";
import { oneLine } from "../ui/text/drawable-text.ts";
import { fieldText, useForm } from "../ui/form/use-form.ts";
import { useGraph } from "./object-provider.tsx";
import { useRealtime } from "./realtime-provider.tsx";

interface Asked extends AskForPasswordEvent {
  key: number;
}

/** Running code asks for a password, or for a line of text. Questions are answered one after the other. */
export function PasswordPrompt({ graphId }: { graphId: string }) {
  const realtime = useRealtime();
  const [questions, setQuestions] = useState<readonly Asked[]>([]);
  const [question] = questions;
  // People who may only read get the question too, but their answer would be refused.
  const isViewOnly = useGraph((view) => view.viewOnly);
  const sending = useRef<Asked>(undefined);
  const asked = useRef(0);
  /** Questions that were shown here: a dismissed one is not shown again. */
  const seen = useRef(new Set<string>());

  const ask = useEffectEvent((event: AskForPasswordEvent) => {
    if (event.question !== undefined && seen.current.has(event.question)) return;
    if (event.question !== undefined) seen.current.add(event.question);
    asked.current += 1;
    const key = asked.current;
    setQuestions((waiting) => [...waiting, { ...event, key }]);
  });
  const askMissed = useEffectEvent(async () => {
    try {
      for (const event of (await readOpenQuestions(graphId)) ?? []) ask(event);
    } catch (cause) {
      logWarning("What the processor asks for could not be read.", cause);
    }
  });

  const close = useEffectEvent((isMeant: (name: string) => boolean, isAnswered: boolean) => {
    const isClosed = (one: Asked) => one.question !== undefined && isMeant(one.question);
    // The person who sends the answer gets this event, too.
    if (question && isClosed(question) && question !== sending.current && !isViewOnly)
      toast.message(closedWords(question, isAnswered));
    setQuestions((waiting) => waiting.filter((one) => one === sending.current || !isClosed(one)));
  });
  useEffect(() => {
    const offs = [
      realtime.on("ask_for_password", ask),
      realtime.on("password_closed", (event) => close((name) => name === event.question, event.answered)),
      realtime.on("update[DOCKER_JOB]", ({ id, workflow_state }) => {
        if (!isAlive(workflow_state)) close((name) => name.startsWith(`${id}.`), false);
      }),
    ];
    return () => offs.forEach((off) => off());
  }, [realtime]);
  useEffect(() => {
    if (isViewOnly) return;
    void askMissed();
    // `project_members` comes after every enter, also after a reconnect: earlier questions may have been missed.
    return realtime.on("project_members", () => void askMissed());
  }, [realtime, isViewOnly]);

  if (!question || isViewOnly) return null;
  const done = () => setQuestions((waiting) => waiting.filter((one) => one !== question));
  const send = async (answer: string) => {
    sending.current = question;
    try {
      await (isOpen(question) ? answerInput(question, answer) : answerPassword(question, answer));
    } finally {
      sending.current = undefined;
    }
    done();
  };
  // Each question has its own key, also when it comes as the last one goes: the last answer must not stand in its field.
  return <Question key={question.key} asked={question} onAnswer={send} onDone={done} />;
}

/** What `input()` asks for is no secret. */
function isOpen({ hidden, question }: Asked): boolean {
  return hidden === false && question !== undefined;
}

function closedWords(asked: Asked, isAnswered: boolean): string {
  if (isOpen(asked)) return isAnswered ? messages.inputAnswered : messages.inputWithdrawn;
  return isAnswered ? messages.passwordAnswered : messages.passwordWithdrawn;
}

interface QuestionProps {
  asked: Asked;
  onAnswer: (answer: string) => Promise<void>;
  onDone: () => void;
}

function Question({ asked, onAnswer, onDone }: QuestionProps) {
  const formId = useId();
  const { passwd_prompt: prompt, wob_key: node } = asked;
  const name = useGraph((view) => (node ? view.resolved.content.nodes[node]?.name : undefined)) ?? "A node";
  const form = useForm((data) => onAnswer(fieldText(data, "answer")));
  return (
    <Dialog
      open
      onOpenChange={onDone}
      title={isOpen(asked) ? `${oneLine(name)} asks` : "A node asks for a password"}
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
        {isOpen(asked) ? (
          <TextField
            type="text"
            label={oneLine(prompt.trim()) || "Answer"}
            name="answer"
            autoComplete="off"
            maxLength={limits.answerMax}
          />
        ) : (
          <PasswordField label={prompt} name="answer" autoComplete="off" required />
        )}
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
