import { type FormEvent, useSyncExternalStore } from "react";

import { debugging as limits } from "@miranda/contract/limits.ts";
import type { Breakpoint } from "@miranda/contract/schemas/processors.ts";

import type { ProcessorActions } from "../processor/processor-session.ts";
import type { DebuggerStore } from "./debugger-store.ts";
import type { ProcessorStore } from "../processor/processor-store.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { fieldText } from "../../ui/form/use-form.ts";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";

/** When a breakpoint stops, and what it logs. Opened from the gutter, by Shift+F9 and from the list of breakpoints. */
export function BreakpointDialog({ open: { debug, store, actions } }: { open: Opened }) {
  const edited = useSyncExternalStore(debug.watch, () => debug.get().edited);
  if (!edited) return null;
  const { wobId, line } = edited;
  const breakpoint = store.get().debugging.breakpoints[wobId]?.[line];

  function save(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const condition = fieldText(form, "condition").trim();
    const log = fieldText(form, "log").trim();
    toastFailure(actions.changeBreakpoint(wobId, line, { ...(condition && { condition }), ...(log && { log }) }));
    debug.closeEditor();
  }

  function remove(): void {
    toastFailure(actions.removeBreakpoint(wobId, line));
    debug.closeEditor();
  }

  return (
    <Dialog
      open
      onOpenChange={(isOpen) => {
        if (!isOpen) debug.closeEditor();
      }}
      title={`Breakpoint on line ${line}`}
      footer={
        <>
          {breakpoint ? (
            <Button variant="ghost" onClick={remove} className="mr-auto">
              Remove
            </Button>
          ) : null}
          <Button onClick={debug.closeEditor}>Cancel</Button>
          <Button type="submit" form="breakpoint" variant="primary">
            Save
          </Button>
        </>
      }
    >
      <Fields breakpoint={breakpoint} onSave={save} />
    </Dialog>
  );
}

interface Opened {
  debug: DebuggerStore;
  store: ProcessorStore;
  actions: Pick<ProcessorActions, "changeBreakpoint" | "removeBreakpoint">;
}

interface FieldsProps {
  breakpoint: Breakpoint | undefined;
  onSave: (event: FormEvent<HTMLFormElement>) => void;
}

function Fields({ breakpoint, onSave }: FieldsProps) {
  const plain = { autoComplete: "off", autoCapitalize: "off", spellCheck: false, maxLength: limits.conditionMax };
  return (
    <form id="breakpoint" onSubmit={onSave} className="flex flex-col gap-4">
      <TextField
        label="Stop only when"
        name="condition"
        optional
        defaultValue={breakpoint?.condition}
        placeholder="total > 100"
        hint="A Python expression. Empty: always."
        className="font-mono"
        {...plain}
      />
      <TextField
        label="Log instead of stopping"
        name="log"
        optional
        defaultValue={breakpoint?.log}
        placeholder="total is {total}"
        hint="Values stand in braces."
        className="font-mono"
        {...plain}
      />
    </form>
  );
}
