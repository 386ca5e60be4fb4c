import { useInfiniteQuery } from "@tanstack/react-query";
import { Sparkles } from "lucide-react";
import { useId } from "react";
import { Link } from "react-router";

import { myCallsQuery } from "../../../api/apps/calls.ts";
import { Card } from "../../../ui/layout/card.tsx";
import { CallRow } from "../call/call-row.tsx";
import type { AppPage } from "./app-page.ts";

const shownMax = 5;

/** The person's latest calls beside an empty form. */
export function RecentCalls({ page }: { page: AppPage }) {
  const id = useId();
  const { data } = useInfiniteQuery(myCallsQuery(page.door, "", shownMax));
  const calls = data?.pages[0]?.calls ?? [];
  if (!data) return null;
  if (calls.length === 0)
    return (
      <div className="grid place-items-center rounded-xl border border-dashed border-line px-6 py-16 text-center text-ink-muted max-lg:hidden">
        <Sparkles className="mb-2 size-5 text-ink-faint" strokeWidth={1.75} aria-hidden="true" />
        Your results will appear here.
      </div>
    );
  return (
    <section aria-labelledby={id} className="min-w-0">
      <div className="mb-2 flex items-baseline justify-between gap-3 px-1">
        <h2 id={id} className="text-sm font-medium text-ink-muted">
          Your latest runs
        </h2>
        {page.isMember ? (
          <Link to={page.addressOf("history")} className="text-sm font-medium text-accent-text hover:underline">
            All runs
          </Link>
        ) : null}
      </div>
      <Card className="p-1">
        <ul>
          {calls.map((call) => (
            <li key={call.id}>
              <CallRow call={call} page={page} />
            </li>
          ))}
        </ul>
      </Card>
    </section>
  );
}
