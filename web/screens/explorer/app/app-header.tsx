import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "react-router";

import type { App } from "@miranda/contract/schemas/deployments/deployments.ts";

import { Badge } from "../../../ui/badge.tsx";
import { classes } from "../../../ui/classes.ts";
import { Markdown } from "../../../ui/markdown/markdown.tsx";
import { AppPicture } from "../gallery/app-picture.tsx";
import { FavouriteButton } from "../gallery/favourite-button.tsx";

interface AppHeaderProps {
  app: App;
  /** For people with an account: the star, and links to its pages. */
  addressOf?: ((part: string) => string) | undefined;
}

const tabs = [
  { part: "", label: "Run" },
  { part: "history", label: "History" },
  { part: "api", label: "API" },
] as const;

export function AppHeader({ app, addressOf }: AppHeaderProps) {
  const { pathname } = useLocation();
  // One call is a part of the first page.
  const open = tabs.findLast(({ part }) => pathname.endsWith(`/${part}`))?.part ?? "";
  return (
    <header className="flex min-w-0 flex-col gap-4">
      <div className="flex min-w-0 items-start gap-4">
        {addressOf ? (
          <AppPicture app={app} className="aspect-square w-14 shrink-0 rounded-lg sm:aspect-video sm:w-36" />
        ) : null}
        <div className="min-w-0 flex-1">
          <div className="flex min-w-0 items-start gap-2">
            <h1 dir="auto" className="min-w-0 text-2xl font-semibold wrap-anywhere">
              {app.title}
            </h1>
            {addressOf ? (
              <FavouriteButton app={app} className="shrink-0 max-sm:-mt-1.5 max-sm:-mr-2 max-sm:ml-auto" />
            ) : null}
          </div>
          <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-muted">
            {app.owner ? <span>{`by ${app.owner.first_name} ${app.owner.last_name}`}</span> : null}
            {app.channel === "staging" ? <Badge tone="warning">Test version</Badge> : null}
          </div>
          <Description text={app.description} className="mt-2 max-sm:hidden" />
        </div>
      </div>
      <Description text={app.description} className="sm:hidden" />
      {app.paused_reason === null ? null : (
        <output className="rounded-md border border-warning/30 bg-warning-soft px-3 py-2 text-warning-text">
          {app.paused_reason}
        </output>
      )}
      {addressOf ? (
        <nav
          aria-label="App"
          className="-mx-4 flex gap-5 overflow-x-auto px-4 shadow-[inset_0_-1px_0_var(--line)] sm:-mx-1 sm:px-1"
        >
          {tabs.map(({ part, label }) => (
            <Link
              key={part}
              to={addressOf(part)}
              aria-current={part === open ? "page" : undefined}
              className="-mx-1 grid h-11 shrink-0 place-items-center rounded-t-sm border-b-2 border-transparent px-1 font-medium text-ink-muted transition-colors -outline-offset-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink sm:h-10"
            >
              {label}
            </Link>
          ))}
        </nav>
      ) : null}
    </header>
  );
}

const shortUpTo = 220;

/** A long description begins folded: people come to use the app. */
function Description({ text, className }: { text: string; className: string }) {
  const [isOpen, setOpen] = useState(false);
  if (text.trim() === "") return null;
  const isLong = text.length > shortUpTo || text.split("\n").length > 4;
  return (
    <div className={classes("max-w-3xl min-w-0 text-ink-muted", className)}>
      <div className={isLong && !isOpen ? "max-h-16 overflow-hidden mask-b-from-50%" : undefined}>
        <Markdown text={text} />
      </div>
      {isLong ? (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="mt-1 inline-flex h-8 items-center gap-1 text-sm font-medium text-accent-text hover:underline"
        >
          {isOpen ? "Less" : "More"}
          <ChevronDown className={classes("size-4", isOpen ? "rotate-180" : null)} aria-hidden="true" />
        </button>
      ) : null}
    </div>
  );
}
