import { Suspense, useState } from "react";
import { useLocation } from "react-router";

import { useAccount } from "../../../api/account/session.ts";
import { isRecord } from "../../../is-record.ts";
import { lazyPart } from "../../../load-part.ts";
import { useSession } from "../../../providers/object-provider.tsx";
import { useViewOnly } from "../editor-context.tsx";

const Tour = lazyPart(() => import("./tour.tsx").then((part) => ({ default: part.Tour })));

/** Starts the tour when the person's sample is opened for the first time, and when somebody asks for it. */
export function TourStart() {
  const { graphId } = useSession();
  const { sample } = useAccount();
  const state: unknown = useLocation().state;
  const isAsked = isRecord(state) && state.tour === true;
  // Decided once: the tour marks the sample as opened.
  const [isOn, setIsOn] = useState(isAsked || sample?.graph_id === graphId);
  const viewOnly = useViewOnly();
  if (!isOn || viewOnly) return null;
  return (
    <Suspense fallback={null}>
      <Tour onEnd={() => setIsOn(false)} />
    </Suspense>
  );
}
