import { Play, RotateCcw } from "lucide-react";
import { useEffect, useRef } from "react";

import type { Call } from "@miranda/contract/schemas/deployments/calls.ts";

import { AppFields, focusFirstProblem } from "../../../panels/app-form/app-fields.tsx";
import { Button } from "../../../ui/button.tsx";
import { FormAlert } from "../../../ui/form/field.tsx";
import { Card } from "../../../ui/layout/card.tsx";
import { BarLine } from "../../../ui/progress-bar.tsx";
import type { AppPage } from "./app-page.ts";
import { useRunForm } from "./use-run-form.ts";

interface RunFormProps {
  page: AppPage;
  earlier: Pick<Call, "id" | "inputs"> | undefined;
  onMade: (call: Call) => void;
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The form of an app, and Run. */
export function RunForm({ page, earlier, onMade }: RunFormProps) {
  const element = useRef<HTMLFormElement>(null);
  const { app } = page;
  const form = useRunForm({
    page,
    earlier,
    onMade,
    onProblems: (problems) => element.current && focusFirstProblem(element.current, app.fields, problems),
  });
  useRunKey(() => void form.run());
  const isPaused = app.paused_reason !== null;
  const count = form.problems.length;
  return (
    <Card className="min-w-0">
      <form
        ref={element}
        noValidate
        aria-label={app.title}
        onSubmit={(event) => {
          event.preventDefault();
          void form.run();
        }}
        className="flex min-w-0 flex-col gap-5 p-4 sm:p-5"
      >
        {earlier && app.fields.length > 0 ? <h2 className="font-semibold">Change and run again</h2> : null}
        {app.fields.length > 0 ? (
          <AppFields
            fields={app.fields}
            values={form.values}
            onChange={form.change}
            problems={form.problems}
            disabled={form.busy}
          />
        ) : (
          <p className="text-ink-muted">This app needs no input. Just run it.</p>
        )}
        <FormAlert
          message={form.error ?? (count > 1 ? `${count} fields need another look.` : null)}
          takesFocus={form.error !== null}
        />
        {form.sent === null ? null : <SendProgress share={form.sent} />}
        <div className="flex flex-wrap items-center gap-3">
          <Button
            type="submit"
            variant="primary"
            size="lg"
            busy={form.busy}
            disabled={isPaused}
            title={`Run (${isMac ? "⌘" : "Ctrl"}+Enter)`}
            className="max-sm:h-12 max-sm:flex-1"
          >
            {form.busy ? null : <Play className="size-4" aria-hidden="true" />}
            {form.busy ? "Sending…" : earlier ? "Run again" : "Run"}
          </Button>
          {form.isChanged && !form.busy ? (
            <Button variant="ghost" size="lg" onClick={form.reset} className="max-sm:h-12">
              <RotateCcw className="size-4" aria-hidden="true" />
              Reset
            </Button>
          ) : null}
          <kbd className="ml-auto text-xs text-ink-faint pointer-coarse:hidden max-sm:hidden">
            {isMac ? "⌘" : "Ctrl"}+Enter
          </kbd>
        </div>
      </form>
    </Card>
  );
}

/** How far the files are. When they have arrived, the server checks and stores them. */
function SendProgress({ share }: { share: number }) {
  const percent = Math.round(share * 100);
  return (
    <div className="flex flex-col gap-1.5">
      <BarLine bar={{ label: "Sending files", done: percent, total: 100 }} className="h-1.5 rounded-full" />
      <p className="text-xs text-ink-muted tabular-nums">
        {percent < 100 ? `Sending files: ${percent} %` : "The files have arrived. Starting…"}
      </p>
    </div>
  );
}

/** ⌘/Ctrl+Enter runs the form wherever the focus is. */
function useRunKey(run: () => void): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey) || event.repeat) return;
      if (document.querySelector("[role=dialog]")) return;
      event.preventDefault();
      event.stopPropagation();
      latest.current();
    };
    // Before the code editor takes the key.
    addEventListener("keydown", press, { capture: true });
    return () => removeEventListener("keydown", press, { capture: true });
  }, []);
}
