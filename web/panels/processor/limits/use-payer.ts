import { useAccount } from "../../../api/account/session.ts";
import { usePurseOfGraph } from "../../../api/billing/purses.ts";
import { useSession } from "../../../providers/object-provider.tsx";

/** Who pays for a run now: whoever pays for the open session, else whoever would pay for a new one. */
export function usePayer(): string | undefined {
  const { username } = useAccount();
  const { graphId } = useSession();
  const { data } = usePurseOfGraph(graphId);
  if (!data) return undefined;
  if (data.session?.by_project ?? data.in_use) return "The project pays";
  return !data.session || data.session.person === username ? "You pay" : `${data.session.person} pays`;
}
