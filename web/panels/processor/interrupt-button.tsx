import { Square } from "lucide-react";
import * as Popover from "radix-ui/popover";
import { type ReactNode, useEffect, useState } from "react";

import { interrupt as limits } from "../../limits.ts";

import { useGraph } from "../../providers/object-provider.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import type { Interrupt } from "../../providers/processor/processor-store.ts";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { SpinnerIcon } from "../../ui/layout/spinner.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";

const maxPlaces = 3;

/** Ends the run and keeps the session. A note explains what a slow interrupt waits for. */
export function InterruptButton() {
  const { actions } = useProcessor();
  const interrupt = useProcessorState((state) => state.interrupt);
  return (
    <Popover.Root open={interrupt !== undefined}>
      <Popover.Anchor asChild>
        <span className="inline-flex">
          <IconButton
            icon={Square}
            label="Interrupt (Shift+F5)"
            aria-keyshortcuts="Shift+F5"
            onClick={() => toastFailure(actions.interrupt())}
            className="size-7 [&_svg]:size-3.5 [&_svg]:fill-current"
          />
        </span>
      </Popover.Anchor>
      {interrupt ? <Note key={interrupt.since} interrupt={interrupt} /> : null}
    </Popover.Root>
  );
}

function Note({ interrupt }: { interrupt: Interrupt }) {
  const { actions } = useProcessor();
  const seconds = useSecondsSince(interrupt.since);
  return (
    <Popover.Portal>
      <Popover.Content
        side="bottom"
        align="start"
        sideOffset={8}
        collisionPadding={8}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- not a dialog: the page stays usable beside it
        role="group"
        aria-label="Interrupt"
        data-testid="interrupt-note"
        // Keep the focus where the person types.
        onOpenAutoFocus={(event) => event.preventDefault()}
        onCloseAutoFocus={(event) => event.preventDefault()}
        className="z-50 flex w-max max-w-[min(20rem,calc(100vw-1rem))] flex-col gap-2 rounded-lg border border-line bg-raised p-3 text-sm shadow-high not-data-[state=closed]:animate-fade"
      >
        <output className="flex flex-col gap-1">
          <span className="flex items-center gap-2 font-medium">
            <SpinnerIcon className="size-3.5" />
            Interrupting…
          </span>
          {seconds >= limits.explainAfterSeconds ? <Places nodes={interrupt.nodes} /> : null}
          {seconds >= limits.offerStopAfterSeconds ? (
            <span className="text-ink-muted">Force Stop ends the session and loses what is in its memory.</span>
          ) : null}
        </output>
        {seconds >= limits.offerStopAfterSeconds ? (
          <Button size="sm" variant="danger" className="self-start" onClick={() => toastFailure(actions.stop())}>
            Force Stop
          </Button>
        ) : null}
      </Popover.Content>
    </Popover.Portal>
  );
}

function Places({ nodes }: { nodes: Interrupt["nodes"] }) {
  // A worker that is stuck in C code cannot report its line, but the running node is known.
  const running = useProcessorState((state) => state.debugging.runningNode);
  const names = useGraph((view) => view.resolved.content.nodes);
  const nameOf = (node: number) => names[node]?.name ?? `node ${node}`;
  if (nodes.length === 0) return running === undefined ? null : <Line>Waiting for {nameOf(running)}</Line>;
  const more = nodes.length - maxPlaces;
  return (
    <>
      {nodes.slice(0, maxPlaces).map(({ wob_key, line_number, funcname }) => (
        <Line key={wob_key}>{placeText(nameOf(wob_key), line_number, oneLine(funcname))}</Line>
      ))}
      {more > 0 ? <Line>and {more} more</Line> : null}
    </>
  );
}

function Line({ children }: { children: ReactNode }) {
  return <span className="line-clamp-2 wrap-anywhere text-ink-muted">{children}</span>;
}

function placeText(name: string, line: number, where: string): string {
  if (line === 0) return `Waiting for ${name}`;
  return `${name} waits at line ${line}${where === "" ? "" : `, in ${where}`}`;
}

/** Counted here: a stuck worker reports nothing. */
function useSecondsSince(time: number): number {
  const [seconds, setSeconds] = useState(() => (Date.now() - time) / 1_000);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((Date.now() - time) / 1_000), 250);
    return () => clearInterval(timer);
  }, [time]);
  return seconds;
}
