import { Link } from "react-router";

import type { AppCard as Card } from "@miranda/contract/schemas/deployments/deployments.ts";

import { appAddress } from "../../../api/apps/apps.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Card as Frame } from "../../../ui/layout/card.tsx";
import { plainMarkdown } from "../../../ui/markdown/plain-markdown.ts";
import { startOf } from "../../../ui/text/drawable-text.ts";
import { AppPicture } from "./app-picture.tsx";
import { FavouriteButton } from "./favourite-button.tsx";

/** A card of the gallery. It leads to its app as a whole; its buttons lie above the link. */
export function AppCard({ app, onTag }: { app: Card; onTag: (tag: string) => void }) {
  return (
    <Frame
      data-testid="app-card"
      className="group relative flex min-w-0 overflow-hidden transition-colors hover:border-line-strong sm:flex-col"
    >
      <AppPicture app={app} className="w-24 shrink-0 sm:aspect-video sm:w-full" />
      <div className="flex min-w-0 flex-1 flex-col gap-1 p-3 sm:p-4">
        <div className="flex items-start gap-1">
          <h3 dir="auto" className="line-clamp-2 min-w-0 flex-1 font-semibold wrap-anywhere sm:text-lg">
            <Link
              to={appAddress(app.name)}
              className="group-hover:text-accent-text before:absolute before:inset-0 before:rounded-lg focus-visible:outline-none focus-visible:before:outline-2 focus-visible:before:-outline-offset-2 focus-visible:before:outline-(--ring)"
            >
              {app.title}
            </Link>
          </h3>
          <FavouriteButton app={app} className="relative -mt-1.5 -mr-1.5 max-sm:-mt-3 max-sm:-mr-2" />
        </div>
        <p dir="auto" className="line-clamp-2 text-sm text-ink-muted wrap-anywhere">
          {startOf(plainMarkdown(app.description), 240)}
        </p>
        <div className="mt-auto flex flex-wrap items-center gap-1.5 pt-2 empty:hidden">
          {app.paused_reason === null ? null : <Badge tone="warning">Not available now</Badge>}
          {app.tags.slice(0, 3).map((tag) => (
            <button
              key={tag}
              type="button"
              onClick={() => onTag(tag)}
              title={`Show apps with ${tag}`}
              className="relative max-w-32 truncate rounded-full border border-line bg-sunken px-2 text-xs leading-5 text-ink-muted transition-colors hover:border-line-strong hover:text-ink"
            >
              {tag}
            </button>
          ))}
          {app.owner ? (
            <span className="ml-auto max-w-32 truncate text-xs text-ink-faint max-sm:hidden">
              {`by ${app.owner.first_name || app.owner.username}`}
            </span>
          ) : null}
        </div>
      </div>
    </Frame>
  );
}
