import { X } from "lucide-react";
import { type FormEvent, useMemo } from "react";

import { debugging as limits } from "@miranda/contract/limits.ts";
import { jsonViewer } from "../../limits.ts";

import type { Watch } from "../../providers/debugger/debugger-store.ts";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { useDebugger, useProcessor } from "../../providers/processor/processor-provider.tsx";
import { fieldText } from "../../ui/form/use-form.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { JsonTree } from "../../ui/json-tree.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { useRest } from "./use-rest.ts";

/** Expressions that are evaluated in the selected frame at each pause. */
export function WatchList() {
  const { debug } = useProcessor();
  const watches = useDebugger((state) => state.watches);
  const isOthers = watches.some(({ result }) => result?.isOthers);

  function add(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const form = event.currentTarget;
    debug.addWatch(fieldText(new FormData(form), "expression"));
    form.reset();
  }

  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-auto py-1 pr-1 pl-2">
      {isOthers ? (
        <p className="mb-1 text-sm text-ink-muted">
          Somebody else started this run.{" "}
          <button
            type="button"
            className="font-medium text-accent-text hover:underline"
            onClick={() => toastFailure(debug.evaluateWatches())}
          >
            Evaluate anyway
          </button>
        </p>
      ) : null}
      <ul className="flex flex-col gap-1">
        {watches.map((one) => (
          <Entry key={one.expression} watch={one} isOthers={isOthers} />
        ))}
      </ul>
      <form onSubmit={add} className="mt-1 shrink-0">
        <input
          name="expression"
          aria-label="Add an expression to watch"
          placeholder="Add an expression"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={limits.expressionMax}
          className="h-7 w-full min-w-0 rounded-md border border-line bg-surface px-2 font-mono text-sm hover:border-line-strong"
        />
      </form>
    </div>
  );
}

function Entry({ watch: { expression, result }, isOthers }: { watch: Watch; isOthers: boolean }) {
  const { debug } = useProcessor();
  const name = oneLine(expression);
  const cuts = useMemo(
    () => result?.cuts.map((cut) => ({ ...cut, path: [expression, ...cut.path] })),
    [result, expression],
  );
  const rest = useRest(cuts);
  const isKnown = result && !isOthers && !result.error;
  return (
    <li className="flex min-w-0 items-start gap-1">
      <div className="min-w-0 flex-1">
        {isKnown ? (
          <JsonTree value={{ [expression]: result.value }} limits={jsonViewer} label={`Value of ${name}`} rest={rest} />
        ) : (
          <p className="truncate pl-5 font-mono text-sm" title={result?.error ?? undefined}>
            <span className="text-accent-text">{name}</span>{" "}
            <span className="text-danger-text">{isOthers ? null : result?.error}</span>
          </p>
        )}
      </div>
      <IconButton
        icon={X}
        label={`Stop watching ${name}`}
        onClick={() => debug.removeWatch(expression)}
        className="-my-0.5 size-6"
      />
    </li>
  );
}
