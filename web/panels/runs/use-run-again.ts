import { useState } from "react";

import type { RunArgs } from "@miranda/contract/command-args.ts";
import { canCreate } from "@miranda/contract/processor.ts";
import type { Run } from "@miranda/contract/schemas/runs.ts";

import { findRepetition } from "../../api/runs/runs.ts";
import { messageOf } from "../../message-of.ts";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";

const modes = ["changed", "all", "one", "to", "from"] as const;

function argsOf({ id, mode, target }: Run): RunArgs {
  const known = modes.find((one) => one === mode) ?? "changed";
  return { mode: known, ...(target && { node: target.wob_key }), repeats: id };
}

/** Runs exactly again what a run ran: in the session that is open, or in a new one. */
export function useRunAgain(run: Run) {
  const { actions } = useProcessor();
  const shown = useProcessorState((state) => state.shown);
  const isWaiting = useProcessorState((state) => state.waitingOnTag !== null);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const isNew = canCreate(shown);
  const isReady = !isWaiting && (isNew || shown === "READY");

  /** Undefined: it was refused. */
  async function start(): Promise<{ made: Run | undefined } | undefined> {
    setBusy(true);
    setFailure(null);
    try {
      await actions.run(argsOf(run), false);
      return { made: await findRepetition(run) };
    } catch (cause) {
      setFailure(messageOf(cause));
      setBusy(false);
      return undefined;
    }
  }

  const words =
    busy || isReady
      ? isNew
        ? "A new session starts."
        : "It runs in the session that is open."
      : "The processor is busy. Wait until it is ready.";
  return { start, busy, failure, isReady, words };
}
