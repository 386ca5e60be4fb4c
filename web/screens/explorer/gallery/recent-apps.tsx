import { useInfiniteQuery } from "@tanstack/react-query";
import { useId } from "react";
import { Link } from "react-router";

import type { AppCard } from "@miranda/contract/schemas/deployments/deployments.ts";

import { appAddress, appsQuery } from "../../../api/apps/apps.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { SpinnerIcon } from "../../../ui/layout/spinner.tsx";
import { AppPicture } from "./app-picture.tsx";

const shownMax = 8;

/** What the person used last. A call that still runs leads to its result. */
export function RecentApps() {
  const id = useId();
  const { data } = useInfiniteQuery(appsQuery({ query: "", tag: "", show: "recent" }));
  const apps = data?.pages[0]?.apps.slice(0, shownMax) ?? [];
  if (apps.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="mb-3 text-sm font-medium text-ink-muted">
        Recently used
      </h2>
      <ul className="-mx-4 flex snap-x gap-3 overflow-x-auto px-4 pb-2 sm:-mx-6 sm:px-6" aria-label="Recently used">
        {apps.map((app) => (
          <li key={app.id} className="snap-start scroll-ml-4 sm:scroll-ml-6">
            <RecentApp app={app} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function RecentApp({ app }: { app: AppCard }) {
  const isRunning = app.alive_call !== null;
  return (
    <Link
      to={appAddress(app.name, app.alive_call === null ? "" : `runs/${app.alive_call}`)}
      className="flex w-60 items-center gap-3 rounded-lg border border-line bg-surface p-2 shadow-low transition-colors hover:border-line-strong"
    >
      <AppPicture app={app} className="size-12 shrink-0 rounded-md" />
      <span className="min-w-0">
        <span dir="auto" className="block truncate font-medium">
          {app.title}
        </span>
        {isRunning ? (
          <span className="flex items-center gap-1.5 text-xs font-medium text-info-text">
            <SpinnerIcon className="size-3" />
            Running now
          </span>
        ) : (
          <span className="block truncate text-xs text-ink-faint">
            {app.time_used === null ? null : <RelativeTime time={app.time_used} />}
          </span>
        )}
      </span>
    </Link>
  );
}
