import { Suspense } from "react";

import { useAccount } from "../../api/account/session.ts";
import { lazyPart } from "../../load-part.ts";
import { FollowedProjects } from "./followed-projects.tsx";
import { OwnProjects } from "./own-projects.tsx";

const StartHere = lazyPart(() => import("./start-here.tsx").then((part) => ({ default: part.StartHere })));

export function HomeScreen() {
  const { sample } = useAccount();
  return (
    <div className="mx-auto grid w-full max-w-6xl gap-x-10 gap-y-12 px-4 py-8 sm:px-6 sm:py-10 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <h1 className="sr-only">Home</h1>
      {sample ? (
        <Suspense fallback={<div className="h-64 lg:col-span-2" />}>
          <StartHere sample={sample} />
        </Suspense>
      ) : null}
      <OwnProjects />
      <FollowedProjects />
    </div>
  );
}
