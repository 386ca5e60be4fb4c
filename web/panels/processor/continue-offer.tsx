import { FastForward } from "lucide-react";
import { useState } from "react";

import { agoWords } from "@miranda/contract/words/ago-words.ts";

import { useProcessor } from "../../providers/processor/processor-provider.tsx";
import { Button } from "../../ui/button.tsx";
import { Tooltip } from "../../ui/overlay/tooltip.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { PlanPreview } from "./plan-preview.tsx";
import { continuing, type Offer, useContinuation } from "./use-continuation.ts";

/** In the panel of the processor: where a run could go on. */
export function ContinueOffer() {
  const offer = useContinuation();
  const { isBusy, run } = useContinue(false);
  if (!offer) return null;
  return (
    <div
      data-testid="continue-offer"
      className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-1.5 rounded-md bg-accent-soft px-2.5 py-2 text-sm"
    >
      <output className="flex min-w-0 flex-1 basis-40 items-start gap-2">
        <FastForward className="mt-0.5 size-3.5 shrink-0" aria-hidden="true" />
        <span className="min-w-0 wrap-anywhere">{wordsOf(offer)}</span>
      </output>
      <Button size="sm" busy={isBusy} onClick={run}>
        Continue
      </Button>
    </div>
  );
}

interface ContinueButtonProps {
  isDebugging: boolean;
  /** Shows an icon instead of the word. */
  isShort: boolean;
}

/** Beside Run: runs only what is not kept. */
export function ContinueButton({ isDebugging, isShort }: ContinueButtonProps) {
  const offer = useContinuation();
  const { isBusy, run } = useContinue(isDebugging);
  if (!offer) return null;
  return (
    <Tooltip
      side="bottom"
      text={
        <div className="flex flex-col gap-1 text-xs">
          <p className="font-medium wrap-anywhere">{wordsOf(offer)}</p>
          <PlanPreview choice={continuing} />
        </div>
      }
    >
      <Button size="sm" busy={isBusy} onClick={run} aria-label={nameOf(offer)} className={isShort ? "px-2" : ""}>
        {isBusy ? null : <FastForward className="size-3.5 text-accent-text" aria-hidden="true" />}
        {isShort ? null : "Continue"}
      </Button>
    </Tooltip>
  );
}

function useContinue(isDebugging: boolean) {
  const { actions } = useProcessor();
  const [isBusy, setBusy] = useState(false);
  function run(): void {
    setBusy(true);
    toastFailure(actions.run(continuing, isDebugging).finally(() => setBusy(false)));
  }
  return { isBusy, run };
}

function wordsOf(offer: Offer): string {
  const { kept, nodes } = offer;
  const asBefore = nodes === 1 ? "node is as it was" : "nodes are as they were";
  return `${nameOf(offer)}: ${kept.toLocaleString()} of ${nodes.toLocaleString()} ${asBefore}`;
}

function nameOf({ from }: Offer): string {
  const { number, name } = from.session;
  const when = from.time_ended === null ? "" : `, ${agoWords(Date.now() - Date.parse(from.time_ended))}`;
  return `Continue from session${number === null ? "" : ` ${number}`} (${name}${when})`;
}
