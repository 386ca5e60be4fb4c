import { Suspense } from "react";

import { useAccount } from "../../api/account/session.ts";
import { useTransferOffers } from "../../api/people/transfer-offers.ts";
import { useSharedProjects } from "../../api/projects.ts";
import { lazyPart } from "../../load-part.ts";
import { FollowedProjects } from "./followed-projects.tsx";
import { OwnProjects } from "./own-projects.tsx";

const StartHere = lazyPart(() => import("./start-here.tsx").then((part) => ({ default: part.StartHere })));
const TransferOffers = lazyPart(() =>
  import("./transfer-offers.tsx").then((part) => ({ default: part.TransferOffers })),
);
const SharedProjects = lazyPart(() =>
  import("./shared-projects.tsx").then((part) => ({ default: part.SharedProjects })),
);

const FirstStartCard = lazyPart(() =>
  import("./first-start-card.tsx").then((part) => ({ default: part.FirstStartCard })),
);

export function HomeScreen() {
  const { sample, is_admin } = useAccount();
  const shared = useSharedProjects();
  const { data: offers = [] } = useTransferOffers();
  const isShared = (shared.data?.items.length ?? 0) > 0;
  return (
    <div className="mx-auto grid w-full max-w-6xl gap-x-10 gap-y-12 px-4 py-8 sm:px-6 sm:py-10 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <h1 className="sr-only">Home</h1>
      <Suspense fallback={null}>{is_admin === 1 ? <FirstStartCard /> : null}</Suspense>
      {sample ? (
        <Suspense fallback={<div className="h-64 lg:col-span-2" />}>
          <StartHere sample={sample} />
        </Suspense>
      ) : null}
      <div className="flex min-w-0 flex-col gap-12">
        <Suspense fallback={null}>{offers.length > 0 ? <TransferOffers offers={offers} /> : null}</Suspense>
        <OwnProjects isShared={shared.isPending ? undefined : isShared} />
        <Suspense fallback={null}>{isShared ? <SharedProjects projects={shared} /> : null}</Suspense>
      </div>
      <FollowedProjects />
    </div>
  );
}
