import { getCredits, shownCredits } from "@miranda/contract/billing/credits.ts";

import { usePurseOfGraph } from "../../../api/billing/purses.ts";
import { useSession } from "../../../providers/object-provider.tsx";

/** Says who pays for a session that a run would start. */
export function WhoPays() {
  const { graphId } = useSession();
  const { data: purse } = usePurseOfGraph(graphId);
  if (!purse) return null;
  const left = purse.balance === null ? "" : `, which has ${shownCredits(getCredits(purse.balance))} credits`;
  return (
    <p className="mt-1 text-xs opacity-70">
      {purse.in_use ? `The project's purse pays for new sessions${left}.` : "You pay for sessions that you start."}
    </p>
  );
}
