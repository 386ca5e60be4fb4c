import { Square } from "lucide-react";
import * as Popover from "radix-ui/popover";
import { type ReactNode, useEffect, useState } from "react";
import { Link } from "react-router";

import { forceStopText } from "@miranda/contract/words/force-stop.ts";
import { useAccount } from "../../api/account/session.ts";
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
  const waiting = useWaiting(interrupt.nodes);
  const isLate = seconds >= limits.offerStopAfterSeconds;
  // Ending the session loses more, so it is offered only where nothing less has an effect.
  const sinceForced = interrupt.forcedAt && seconds - (interrupt.forcedAt - interrupt.since) / 1_000;
  const mayEnd = isLate && (waiting.length === 0 || (sinceForced ?? 0) >= limits.offerStopAfterSeconds);
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
          {!isLate && seconds >= limits.explainAfterSeconds ? <Places waiting={waiting} /> : null}
        </output>
        {isLate && waiting.length > 0 ? <StillWaiting waiting={waiting} /> : null}
        {mayEnd ? (
          <output className="text-ink-muted">Force Stop ends the session and loses what is in its memory.</output>
        ) : null}
        {mayEnd ? (
          <Button size="sm" variant="danger" className="self-start" onClick={() => toastFailure(actions.stop())}>
            Force Stop
          </Button>
        ) : null}
      </Popover.Content>
    </Popover.Portal>
  );
}

interface Waiting {
  node: number;
  name: string;
  /** 0 when it is not known. */
  line: number;
  where: string;
}

/** The nodes that an interrupt waits for. */
function useWaiting(nodes: Interrupt["nodes"]): readonly Waiting[] {
  // A worker that is stuck in C code cannot report its line, but the running node is known.
  const running = useProcessorState((state) => state.debugging.runningNode);
  const known = useGraph((view) => view.resolved.content.nodes);
  const nameOf = (node: number) => known[node]?.name ?? `node ${node}`;
  if (nodes.length === 0)
    return running === undefined ? [] : [{ node: running, name: nameOf(running), line: 0, where: "" }];
  return nodes.map(({ wob_key: node, line_number: line, funcname }) => ({
    ...{ node, name: nameOf(node), line },
    where: oneLine(funcname),
  }));
}

function Places({ waiting }: { waiting: readonly Waiting[] }) {
  const more = waiting.length - maxPlaces;
  return (
    <>
      {waiting.slice(0, maxPlaces).map((one) => (
        <Line key={one.node}>{placeText(one)}</Line>
      ))}
      {more > 0 ? <Line>and {more} more</Line> : null}
    </>
  );
}

/** Each node can be stopped by force: what the others have finished is kept. */
function StillWaiting({ waiting }: { waiting: readonly Waiting[] }) {
  const { actions } = useProcessor();
  const { force_stop_after: seconds } = useAccount();
  const more = waiting.length - maxPlaces;
  return (
    <>
      <ul className="flex flex-col gap-2">
        {waiting.slice(0, maxPlaces).map((one) => (
          <li key={one.node} className="flex flex-col items-start gap-1.5">
            <output className="wrap-anywhere">{stillText(one)}</output>
            <Button
              size="sm"
              variant="danger"
              aria-label={waiting.length > 1 ? `Force stop ${one.name}` : undefined}
              onClick={() => toastFailure(actions.forceStop(one.node))}
            >
              Force stop this node
            </Button>
          </li>
        ))}
      </ul>
      {more > 0 ? <Line>and {more} more</Line> : null}
      <p className="text-xs text-ink-muted">
        Every finished result is kept.{" "}
        {seconds > 0 ? `With your interrupts this happens by itself after ${forceStopText(seconds)}. ` : ""}
        <Link to="/account#running" className="underline">
          {seconds > 0 ? "Change the time" : "Let it happen by itself"}
        </Link>
      </p>
    </>
  );
}

function Line({ children }: { children: ReactNode }) {
  return <span className="line-clamp-2 wrap-anywhere text-ink-muted">{children}</span>;
}

function placeText({ name, line, where }: Waiting): string {
  if (line === 0) return `Waiting for ${name}`;
  return `${name} waits at line ${line}${where === "" ? "" : `, in ${where}`}`;
}

function stillText({ name, line, where }: Waiting): string {
  if (line === 0) return `Still waiting for ${name}.`;
  return `Still waiting for ${name}: line ${line}${where === "" ? "" : `, in ${where}`}.`;
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
