import type { PayerOfWorkflow } from "@miranda/contract/schemas/billing/purses.ts";

import { useMoneyShown } from "../../../api/billing/money-shown.ts";
import { usePricesNow } from "../../../api/billing/prices.ts";
import { usePurseOfGraph } from "../../../api/billing/purses.ts";
import { useMoney } from "../../../api/settings.ts";
import { useSession } from "../../../providers/object-provider.tsx";
import { priceSentence } from "./price-words.ts";
import { usePayer } from "./use-payer.ts";

/** Says who pays for the open session, or for the one that a run would start, and what it costs. */
export function WhoPays() {
  const { graphId } = useSession();
  const { data: purse } = usePurseOfGraph(graphId);
  const { data: prices } = usePricesNow();
  const payer = usePayer();
  const money = useMoney();
  const isShown = useMoneyShown();
  if (!isShown || !purse || payer === undefined) return null;
  return (
    <div className="mt-1 flex flex-col gap-1 text-xs opacity-70">
      <p>
        {payer} {whatFor(purse, money)}.
      </p>
      {prices ? <p>{priceSentence(prices, money)}</p> : null}
    </div>
  );
}

function whatFor({ in_use, balance, session }: PayerOfWorkflow, money: (amount: string) => string): string {
  const isPaidByProject = session?.by_project ?? in_use;
  const left = !isPaidByProject || balance === null ? "" : ` and has ${money(balance)} left`;
  if (session) return `for this session${left}`;
  return isPaidByProject ? `for new sessions${left}` : "for sessions that you start";
}
