import { Send } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { Link } from "react-router";

import { durationText } from "@miranda/contract/words/duration-text.ts";
import { exampleOf } from "@miranda/contract/call-docs/examples.ts";
import { type SnippetLanguage, snippetOf } from "@miranda/contract/call-docs/snippets.ts";
import { typeOfField } from "@miranda/contract/call-inputs/field-types.ts";
import type { Call, InputProblem } from "@miranda/contract/schemas/deployments/calls.ts";

import { type RawAnswer, tryCall } from "../../../api/apps/try-call.ts";
import { messageOf } from "../../../message-of.ts";
import { AppFields, focusFirstProblem } from "../../../panels/app-form/app-fields.tsx";
import { checkForm, type FormValues, startValues } from "../../../panels/app-form/form-values.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { FormAlert } from "../../../ui/form/field.tsx";
import { Card } from "../../../ui/layout/card.tsx";
import type { AppPage } from "../app/app-page.ts";
import { CodeBlock } from "../../../panels/code-block.tsx";
import { LanguageChoice } from "./language-choice.tsx";

const wait = 60;

/** A form that shows the call it would make in three languages, and makes it. */
export function ApiTry({ page }: { page: AppPage }) {
  const { app, door } = page;
  const element = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState<FormValues>(() => startValues(app.fields));
  const [problems, setProblems] = useState<readonly InputProblem[]>([]);
  const [language, setLanguage] = useState<SnippetLanguage>("curl");
  const [answer, setAnswer] = useState<RawAnswer | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const sending = useRef<AbortController>(undefined);
  useEffect(() => () => sending.current?.abort(), []);

  const snippet = useMemo(() => {
    const shown = Object.fromEntries(
      app.fields.map((field): [string, unknown] => {
        const checked = checkForm([field], values);
        const given = "inputs" in checked ? checked.inputs[field.name] : undefined;
        if (typeOfField(field) !== "file") return [field.name, given ?? exampleOf(field)];
        return [field.name, given instanceof File ? given.name : exampleOf(field)];
      }),
    );
    return snippetOf(language, { origin: location.origin, name: app.name, fields: app.fields, values: shown, wait });
  }, [app, values, language]);

  async function send() {
    const checked = checkForm(app.fields, values);
    if ("problems" in checked) {
      setProblems(checked.problems);
      if (element.current) focusFirstProblem(element.current, app.fields, checked.problems);
      return;
    }
    sending.current?.abort();
    const own = (sending.current = new AbortController());
    setProblems([]);
    setError(null);
    setAnswer(null);
    setBusy(true);
    try {
      setAnswer(await tryCall(door, checked.inputs, wait, own.signal));
    } catch (cause) {
      if (!own.signal.aborted) setError(messageOf(cause));
    } finally {
      if (sending.current === own) setBusy(false);
    }
  }

  return (
    <div className="grid min-w-0 items-start gap-6 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
      <Card className="min-w-0">
        <form
          ref={element}
          noValidate
          aria-label="Try it"
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
          className="flex min-w-0 flex-col gap-5 p-4 sm:p-5"
        >
          {app.fields.length > 0 ? (
            <AppFields
              fields={app.fields}
              values={values}
              onChange={(name, value) => {
                setValues({ ...values, [name]: value });
                setProblems(problems.filter(({ field }) => field !== name));
              }}
              problems={problems}
              disabled={busy}
            />
          ) : (
            <p className="text-ink-muted">This app needs no input.</p>
          )}
          <FormAlert message={error} />
          <Button
            type="submit"
            variant="primary"
            size="lg"
            busy={busy}
            disabled={app.paused_reason !== null}
            className="self-start max-sm:h-12 max-sm:w-full"
          >
            {busy ? null : <Send className="size-4" aria-hidden="true" />}
            {busy ? "Waiting for the answer…" : "Send"}
          </Button>
          <p className="text-sm text-ink-muted">This starts a real run, which costs as much as any other.</p>
        </form>
      </Card>
      <div className="flex min-w-0 flex-col gap-4">
        <LanguageChoice language={language} onChoose={setLanguage} />
        <CodeBlock label="The request as code" text={snippet} />
        {answer ? <Answer answer={answer} page={page} /> : null}
      </div>
    </div>
  );
}

function Answer({ answer, page }: { answer: RawAnswer; page: AppPage }) {
  const isGood = answer.status < 300;
  const shown = useMemo(() => (answer.isJson ? indented(answer.text) : answer.text), [answer]);
  const id = useMemo(() => (answer.isJson && isGood ? (JSON.parse(answer.text) as Call).id : null), [answer, isGood]);
  return (
    <div className="flex min-w-0 flex-col gap-2" aria-live="polite">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">Answer</span>
        <Badge tone={isGood ? "success" : "danger"}>{`${answer.status} ${answer.statusText}`.trim()}</Badge>
        <span className="text-sm text-ink-muted">{durationText(answer.milliseconds / 1_000)}</span>
        {id === null ? null : (
          <Link to={page.addressOf(`runs/${id}`)} className="text-sm text-accent-text hover:underline">
            Show this run
          </Link>
        )}
      </p>
      <CodeBlock label="The answer" text={shown} />
    </div>
  );
}

const longest = 100_000;

function indented(text: string): string {
  const written = JSON.stringify(JSON.parse(text), null, 2);
  return written.length > longest ? `${written.slice(0, longest)}\n…` : written;
}
