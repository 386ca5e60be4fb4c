import { Coins } from "lucide-react";
import { useState } from "react";

import { reachedWords } from "@miranda/contract/words/budget-words.ts";
import { budget as limits } from "@miranda/contract/limits.ts";
import type { Run } from "@miranda/contract/schemas/runs.ts";
import { moneyText } from "@miranda/contract/words/money-text.ts";

import { useCurrency } from "../../../api/settings.ts";
import { raiseBudget } from "../../../api/runs/budgets.ts";
import { sendProcessorCommand } from "../../../api/jobs/processors.ts";
import { Button } from "../../../ui/button.tsx";
import { toastFailure } from "../../../ui/overlay/toast-failure.ts";
import { useMinutesUntil } from "../use-minutes-until.ts";

/** Asks whether a run that has reached its limit may cost more. Nothing while it does not ask. */
export function BudgetBanner({ run, mayAnswer }: { run: Run; mayAnswer: boolean }) {
  const [busy, setBusy] = useState<"more" | "stop" | null>(null);
  const { budget_question: question } = run;
  const sign = useCurrency();
  const minutes = useMinutesUntil(question?.time_stops ?? null) ?? 1;
  // Nobody needs to answer for a run that has ended, even while its question is still known here.
  if (!question || run.time_ended !== null) return null;
  // As much again as it was allowed at first, in round numbers.
  const more = question.limit === "run" ? Math.max(limits.min, Number(question.of.toFixed(2))) : limits.step;

  function answer(what: "more" | "stop", call: () => Promise<unknown>): void {
    setBusy(what);
    toastFailure(call().finally(() => setBusy(null)));
  }

  return (
    <section
      aria-label="Limit reached"
      className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-2 border-b border-line bg-warning-soft px-3 py-2 text-sm text-warning-text"
    >
      <output className="flex min-w-0 flex-1 basis-72 items-start gap-2">
        <Coins className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
        <p>
          <strong className="font-semibold">{reachedWords(question, sign)}</strong> It waits, which costs a little too.
          Without an answer it stops {minutes <= 1 ? "in a minute" : `in ${minutes} minutes`}.
        </p>
      </output>
      {mayAnswer ? (
        <div className="flex flex-wrap gap-2">
          <Button
            size="sm"
            variant="primary"
            busy={busy === "more"}
            disabled={busy !== null}
            onClick={() => answer("more", () => raiseBudget(run.id, more))}
          >
            Continue with {moneyText(more, sign, "all")} more
          </Button>
          <Button
            size="sm"
            busy={busy === "stop"}
            disabled={busy !== null}
            onClick={() => answer("stop", () => sendProcessorCommand(run.graph.id, "interrupt"))}
          >
            Stop
          </Button>
        </div>
      ) : null}
    </section>
  );
}
