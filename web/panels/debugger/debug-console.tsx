import { ChevronRight, Eraser, Square } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";

import { debugging as limits } from "@miranda/contract/limits.ts";

import type { ConsoleEntry } from "../../providers/debugger/debugger-store.ts";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { useDebugger, useProcessor } from "../../providers/processor/processor-provider.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { SpinnerIcon } from "../../ui/layout/spinner.tsx";
import { LongText } from "../../ui/text/long-text.tsx";
import { EvaluatedValue } from "./evaluated-value.tsx";

/** Evaluates Python in the selected frame. Enter runs it, Shift+Enter adds a line. */
export function DebugConsole() {
  const { debug } = useProcessor();
  const entries = useDebugger((state) => state.console);
  const isRunning = entries.some(({ result }) => result === undefined);
  const bottom = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (bottom.current && entries.length > 0) bottom.current.scrollTop = bottom.current.scrollHeight;
  }, [entries]);
  return (
    <>
      <div
        ref={bottom}
        role="log"
        aria-label="Console"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
        tabIndex={0}
        className="min-h-0 flex-1 overflow-auto px-3 py-1 -outline-offset-2"
      >
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </div>
      <div className="flex shrink-0 items-end gap-1 border-t border-line py-1 pr-1 pl-2">
        <Prompt entries={entries} isRunning={isRunning} />
        {isRunning ? (
          <IconButton
            icon={Square}
            label="Stop evaluating"
            onClick={() => toastFailure(debug.cancel())}
            className="size-7"
          />
        ) : entries.length > 0 ? (
          <IconButton icon={Eraser} label="Clear the console" onClick={debug.clearConsole} className="size-7" />
        ) : null}
      </div>
    </>
  );
}

function Entry({ entry: { expression, result } }: { entry: ConsoleEntry }) {
  return (
    <div className="py-0.5">
      <p className="flex gap-1 font-mono text-sm break-words whitespace-pre-wrap text-ink-muted">
        <ChevronRight className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
        <span className="min-w-0">
          <LongText text={expression} />
        </span>
      </p>
      <div className="pl-5">{result ? <EvaluatedValue result={result} label="Result" /> : <SpinnerIcon />}</div>
    </div>
  );
}

function Prompt({ entries, isRunning }: { entries: readonly ConsoleEntry[]; isRunning: boolean }) {
  const { debug } = useProcessor();
  const [text, setText] = useState("");
  /** How far back in the input history; zero is the current input. */
  const [back, setBack] = useState(0);
  const history = [...new Set(entries.map(({ expression }) => expression).toReversed())];

  function recall(next: number): void {
    const found = next === 0 ? "" : history[next - 1];
    if (found === undefined) return;
    setBack(next);
    setText(found);
  }

  function press(event: KeyboardEvent<HTMLTextAreaElement>): void {
    const { key, shiftKey, currentTarget } = event;
    const { selectionStart, value } = currentTarget;
    const isFirstLine = !value.slice(0, selectionStart).includes("\n");
    const isLastLine = !value.slice(selectionStart).includes("\n");
    if (key === "ArrowUp" && isFirstLine && back < history.length) {
      event.preventDefault();
      recall(back + 1);
    } else if (key === "ArrowDown" && isLastLine && back > 0) {
      event.preventDefault();
      recall(back - 1);
    } else if (key === "Enter" && !shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      if (text.trim() === "" || isRunning) return;
      setText("");
      setBack(0);
      toastFailure(debug.run(text));
    }
  }

  return (
    <textarea
      aria-label="Evaluate"
      placeholder="Evaluate Python here"
      rows={Math.min(6, text.split("\n").length)}
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        setBack(0);
      }}
      onKeyDown={press}
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      maxLength={limits.expressionMax}
      className="min-w-0 flex-1 resize-none rounded-md bg-transparent px-1 py-1 font-mono text-sm -outline-offset-2 placeholder:text-ink-faint"
    />
  );
}
