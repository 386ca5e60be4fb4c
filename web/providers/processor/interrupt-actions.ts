import type { Command } from "@miranda/contract/processor.ts";

import { isRefusedWith } from "../../api/http.ts";
import type { ProcessorStore } from "./processor-store.ts";

/** What ends a run and keeps the session. */
export interface InterruptActions {
  interrupt: () => Promise<void>;
  /** Ends what runs a node, whatever it does. */
  forceStop: (node: number) => Promise<void>;
}

interface Dependencies {
  store: Pick<ProcessorStore, "beginInterrupt">;
  command: (name: Command, args?: string) => Promise<void>;
  /** Until the run that was asked for last has begun. */
  begun: () => Promise<void>;
}

export function createInterruptActions({ store, command, begun }: Dependencies): InterruptActions {
  return {
    async interrupt() {
      const asked = store.beginInterrupt();
      try {
        await begun().catch(() => undefined);
        await command("interrupt");
      } catch (cause) {
        asked.takeBack();
        // It has come to its end by itself meanwhile: just what was wanted.
        if (!isRefusedWith(cause, "nothing_to_interrupt")) throw cause;
      }
    },
    async forceStop(node) {
      try {
        await command("force-stop", `${node}`);
      } catch (cause) {
        if (!isRefusedWith(cause, "nothing_to_force_stop")) throw cause;
      }
    },
  };
}
