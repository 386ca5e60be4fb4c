import { Bug, CirclePause, X } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";

import { messages } from "@miranda/contract/words/messages.ts";
import type { Breakpoint, ExceptionInfo } from "@miranda/contract/schemas/processors.ts";

import { buttonClasses } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { LongText } from "../../ui/text/long-text.tsx";

interface SlideUpProps {
  tone: "warning" | "danger";
  label: string;
  children: ReactNode;
}

function SlideUp({ tone, label, children }: SlideUpProps) {
  return (
    <section
      aria-label={label}
      data-stopped=""
      className={classes(
        "absolute inset-x-0 bottom-0 flex max-h-[min(calc(100%-2.75rem),28rem)] min-h-0 animate-rise flex-col border-t-2 bg-raised shadow-high",
        tone === "danger" ? "border-danger" : "border-warning",
      )}
    >
      {children}
    </section>
  );
}

interface BreakNoticeProps {
  /** Why it is paused. */
  title: string;
  breakpoint: Breakpoint;
  nodeName: string | undefined;
  codePath: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function BreakNotice({ title, breakpoint, nodeName, codePath, actions, children }: BreakNoticeProps) {
  return (
    <SlideUp tone="warning" label={title}>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
        <CirclePause className="size-4 shrink-0 text-warning-text" aria-hidden="true" />
        <h3 className="font-semibold">{title}</h3>
        <p className="min-w-0 truncate text-sm text-ink-muted">
          {nodeName ? `${nodeName} · ` : null}
          Node {breakpoint.wobId}, line {breakpoint.line}
        </p>
        <span className="ml-auto flex items-center gap-1">
          {actions}
          <Link to={codePath} className={buttonClasses({ size: "sm" })}>
            View Code
          </Link>
        </span>
      </header>
      {children}
    </SlideUp>
  );
}

/** The last line of a traceback names the error. */
function summaryOf(traceback: string): string {
  return oneLine(traceback.trimEnd().split("\n").at(-1) ?? "");
}

interface ExceptionNoticeProps {
  exception: ExceptionInfo;
  nodeName: string;
  codePath: string;
  /** The other nodes that failed in the same run. */
  otherFailures?: ReactNode;
  onClose: () => void;
  /** Buttons that would fix it. */
  fix?: ReactNode;
  /** The variables at the exception. */
  variables?: ReactNode;
}

export function ExceptionNotice(props: ExceptionNoticeProps) {
  const { exception, nodeName, codePath, otherFailures, onClose, fix, variables } = props;
  return (
    <SlideUp tone="danger" label="Exception">
      <header className="flex items-start gap-x-3 gap-y-2 px-3 py-2 max-sm:flex-wrap">
        <Bug className="mt-0.5 size-4 shrink-0 text-danger-text" aria-hidden="true" />
        <div className="min-w-0 flex-1" role="alert">
          <h3 className="font-semibold break-words text-danger-text">{messages.exceptionIn(nodeName)}</h3>
          {exception.line > 0 ? (
            <p className="font-mono text-sm break-words text-ink-muted">
              {messages.exceptionAt(oneLine(exception.function), exception.line)}
            </p>
          ) : null}
          <p className="truncate font-mono text-sm" title={summaryOf(exception.traceback)}>
            {summaryOf(exception.traceback)}
          </p>
        </div>
        {/* Below the text on a phone: beside it they would leave no space for the text. */}
        <span className="flex shrink-0 items-center gap-1.5 max-sm:order-last max-sm:w-full max-sm:flex-wrap">
          {fix}
          <Link to={codePath} className={buttonClasses({ size: "sm" })}>
            View Code
          </Link>
        </span>
        <IconButton icon={X} label="Close" onClick={onClose} className="size-7" />
      </header>
      {otherFailures}
      {/* Side by side where there is room: below each other only a line or two of each would be seen. */}
      <div className="@container flex min-h-0 flex-1 flex-col border-t border-line">
        <div className="flex min-h-0 flex-1 flex-col @4xl:flex-row">
          <pre
            data-testid="traceback"
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
            tabIndex={0}
            className="max-h-56 min-h-0 min-w-0 flex-[2] overflow-auto bg-sunken px-3 py-2 font-mono text-xs -outline-offset-2 @4xl:max-h-none"
          >
            <LongText text={exception.traceback} />
          </pre>
          {variables}
        </div>
      </div>
    </SlideUp>
  );
}
