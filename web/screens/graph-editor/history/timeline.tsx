import { useInfiniteQuery } from "@tanstack/react-query";
import { ChevronRight, Circle, History, Rocket } from "lucide-react";
import { type ReactNode, useMemo, useState, useSyncExternalStore } from "react";
import { Link } from "react-router";

import type { Version } from "@miranda/contract/schemas/versions.ts";

import { loadMore } from "../../../api/pages.ts";
import { runsAddress } from "../../../api/runs/runs.ts";
import { now, versionsQuery } from "../../../api/versions.ts";
import { usernameColour } from "../../../format/username-colour.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { counted } from "../../../ui/counted.ts";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea, Spinner } from "../../../ui/layout/spinner.tsx";
import { VirtualList } from "../../../ui/layout/virtual-list.tsx";
import { nobodyWords, type TimelineRow, timelineRows, versionTitle } from "./timeline-rows.ts";
import { versionKey } from "./version-addresses.ts";

const currentDay = () => new Date().toDateString();

function everyMinute(onChange: () => void): () => void {
  const timer = setInterval(onChange, 60_000);
  return () => clearInterval(timer);
}

interface TimelineProps {
  graphId: string;
  /** What names the shown version in the address, or `now`. */
  shown: string;
  addressOf: (version: Version | typeof now) => string;
}

/** The versions of a workflow, newest first. */
export function Timeline({ graphId, shown, addressOf }: TimelineProps) {
  const query = useInfiniteQuery(versionsQuery(graphId));
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const versions = useMemo(() => query.data?.pages.flatMap((page) => page.versions) ?? [], [query.data]);
  const chosen = shown === now ? now : versions.find((one) => one.id === shown || versionKey(one) === shown)?.id;
  const today = useSyncExternalStore(everyMinute, currentDay);
  const rows = useMemo(
    () => timelineRows(versions, unfolded, chosen, new Date(today)),
    [versions, unfolded, chosen, today],
  );

  if (query.isPending) return <LoadingArea label="Loading the history" />;
  if (query.isError && versions.length === 0)
    return (
      <div className="p-3">
        <LoadFailure
          title="The history could not be loaded."
          message={query.error.message}
          busy={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      </div>
    );
  const fold = ({ versions, isOpen }: Extract<TimelineRow, { type: "fold" }>) => {
    const rest = [...unfolded].filter((id) => !versions.some((version) => version.id === id));
    setUnfolded(new Set(isOpen ? rest : [...rest, ...versions.slice(0, 1).map(({ id }) => id)]));
  };
  return (
    <VirtualList
      label="Versions"
      className="min-h-0 flex-1 overflow-y-auto px-1.5 pt-1.5 pb-4"
      rowHeight={60}
      items={[{ type: "now", key: now } as const, ...rows]}
      itemKey={({ key }) => key}
      onEndNear={() => loadMore(query)}
      renderItem={(row) => {
        switch (row.type) {
          case "now":
            return <NowRow to={addressOf(now)} isActive={chosen === now} />;
          case "day":
            return <h3 className="px-2.5 pt-4 pb-1 text-xs font-semibold text-ink-faint">{row.label}</h3>;
          case "fold":
            return <FoldRow row={row} chosen={chosen} onToggle={() => fold(row)} />;
          case "version":
            return <VersionRow {...row} to={addressOf(row.version)} isActive={row.version.id === chosen} />;
        }
      }}
      footer={<Footer query={query} isEmpty={versions.length === 0} />}
    />
  );
}

const rowClasses = (isActive: boolean) =>
  classes(
    "flex gap-3 rounded-md px-2.5 py-2 -outline-offset-2 transition-colors",
    isActive ? "bg-accent-soft" : "hover:bg-hover",
  );

function NowRow({ to, isActive }: { to: string; isActive: boolean }) {
  return (
    <Link
      to={to}
      data-testid="version-now"
      aria-current={isActive ? "true" : undefined}
      className={rowClasses(isActive)}
    >
      <span className="grid size-7 shrink-0 place-items-center">
        <Circle className="size-3 fill-accent text-accent" aria-hidden="true" />
      </span>
      <span className="min-w-0 flex-1">
        <span className="font-medium">Now</span>
        <span className="block text-xs text-ink-muted">The workflow as it is</span>
      </span>
    </Link>
  );
}

interface VersionRowProps {
  version: Version;
  isInside: boolean;
  to: string;
  isActive: boolean;
}

function VersionRow({ version, isInside, to, isActive }: VersionRowProps) {
  const { author, number, message, runs, time_created, time_published } = version;
  const who = author ? `${author.first_name} ${author.last_name}` : nobodyWords(version);
  const isNamed = number !== null;
  return (
    <div className={isInside ? "ml-5 border-l border-line pl-1" : undefined}>
      <div data-testid="version" className={classes(rowClasses(isActive), "relative")}>
        <Avatar
          size="sm"
          name={author ? who : "?"}
          src={author?.avatar}
          {...(author && { borderColour: usernameColour(author.username) })}
        />
        <span className="min-w-0 flex-1">
          <span className="flex items-center gap-2">
            {/* The whole row is the link; that to its runs lies above it. */}
            <Link
              to={to}
              dir="auto"
              aria-current={isActive ? "true" : undefined}
              className={classes(
                "min-w-0 truncate after:absolute after:inset-0 after:rounded-md focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-(--ring)",
                isNamed ? "font-medium" : "text-ink-muted",
              )}
            >
              {versionTitle(version)}
            </Link>
            {time_published === null ? null : (
              <Badge tone="success">
                <Rocket className="size-3" aria-hidden="true" />
                Published
              </Badge>
            )}
          </span>
          {message ? (
            <span dir="auto" className="mt-0.5 line-clamp-2 text-sm text-ink-muted wrap-anywhere">
              {message}
            </span>
          ) : null}
          <span className="mt-0.5 flex items-center gap-1.5 text-xs text-ink-muted">
            {isNamed ? <span className="tabular-nums">#{number}</span> : null}
            <span className="min-w-0 truncate">{who}</span>
            {runs > 0 ? (
              <Link
                to={runsAddress({ graph: version.graph_id, version: version.id })}
                className="relative z-1 shrink-0 text-accent-text tabular-nums hover:underline"
              >
                {counted(runs, "run")}
              </Link>
            ) : null}
            <span className="ml-auto shrink-0 tabular-nums">
              <ClockTime time={time_created} />
            </span>
          </span>
        </span>
      </div>
    </div>
  );
}

interface FoldRowProps {
  row: Extract<TimelineRow, { type: "fold" }>;
  chosen: string | undefined;
  onToggle: () => void;
}

function FoldRow({ row, chosen, onToggle }: FoldRowProps) {
  // Closing it would hide the version that is shown.
  const isHeld = row.versions.some(({ id }) => id === chosen);
  return (
    <button
      type="button"
      aria-expanded={row.isOpen}
      disabled={isHeld}
      onClick={onToggle}
      data-testid="automatic-versions"
      className="flex w-full items-center gap-3 rounded-md px-2.5 py-1.5 text-left text-sm text-ink-muted -outline-offset-2 transition-colors hover:bg-hover disabled:pointer-events-none"
    >
      <span className="grid size-7 shrink-0 place-items-center">
        <ChevronRight
          className={classes("size-4 transition-transform", row.isOpen ? "rotate-90" : null)}
          aria-hidden="true"
        />
      </span>
      {row.versions.length} automatic versions
    </button>
  );
}

/** The time of the day: its date is in the heading above. */
function ClockTime({ time }: { time: string }) {
  const date = new Date(time);
  return (
    <time dateTime={time} title={date.toLocaleString()}>
      {date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" })}
    </time>
  );
}

interface FooterProps {
  query: { isFetchingNextPage: boolean; isFetchNextPageError: boolean; fetchNextPage: () => Promise<unknown> };
  isEmpty: boolean;
}

function Footer({ query, isEmpty }: FooterProps): ReactNode {
  if (isEmpty)
    return (
      <div className="px-6 py-10 text-center" data-testid="no-versions">
        <History className="mx-auto size-6 text-ink-faint" aria-hidden="true" />
        <p className="mt-3 font-semibold">No versions yet</p>
        <p className="mt-1 text-ink-muted text-pretty">
          Name a version to keep the workflow as it is. Automatic ones are kept before each run, restore and merge.
        </p>
      </div>
    );
  if (query.isFetchNextPageError)
    return (
      <Button variant="ghost" className="mx-3 mt-2" onClick={() => void query.fetchNextPage()}>
        Older versions could not be loaded. Try again
      </Button>
    );
  return query.isFetchingNextPage ? <Spinner label="Loading older versions" showLabel className="px-5 py-3" /> : null;
}
