import { getCredits, shownCredits } from "@miranda/contract/billing/credits.ts";

import { usePricesNow } from "../../../api/billing/prices.ts";
import { usePurseOfGraph } from "../../../api/billing/purses.ts";
import { useSession } from "../../../providers/object-provider.tsx";
import { priceSentence } from "./price-words.ts";

/** Says who pays for a session that a run would start, and what it costs. */
export function WhoPays() {
  const { graphId } = useSession();
  const { data: purse } = usePurseOfGraph(graphId);
  const { data: prices } = usePricesNow();
  if (!purse) return null;
  const left = purse.balance === null ? "" : ` and has ${shownCredits(getCredits(purse.balance))} credits`;
  return (
    <div className="mt-1 flex flex-col gap-1 text-xs opacity-70">
      <p>{purse.in_use ? `The project pays for new sessions${left}.` : "You pay for sessions that you start."}</p>
      {prices ? <p>{priceSentence(prices)}</p> : null}
    </div>
  );
}
