import { useQuery } from "@tanstack/react-query";
import { ArrowLeft, ArrowRight, FileQuestion } from "lucide-react";
import { useEffect, useMemo } from "react";
import { Link, useLocation, useParams } from "react-router";

import { documentTitle } from "../../shell/section.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { type HandbookPage as Page, neighboursOf, pages } from "./contents.ts";
import { HandbookDocument } from "./handbook-document.tsx";
import { loadPage } from "./handbook-files.ts";
import { sectionsOf } from "./sections.ts";

/** One page of the handbook, with what is on it and the pages beside it. */
export function HandbookPage() {
  const { page: name = "" } = useParams();
  const page = pages.find((one) => one.name === name);
  useEffect(() => {
    document.title = documentTitle(page?.title, "Handbook");
  }, [page]);
  if (!page)
    return (
      <div className="min-w-0 px-4 py-8 sm:px-8">
        <EmptyState
          icon={FileQuestion}
          title="There is no such page"
          action={
            <Link to="/docs" className={buttonClasses()}>
              All pages
            </Link>
          }
        >
          The handbook has no page at this address. Search for it, or look at the contents.
        </EmptyState>
      </div>
    );
  return <KnownPage page={page} />;
}

function KnownPage({ page }: { page: Page }) {
  const {
    data: text,
    error,
    refetch,
  } = useQuery({
    queryKey: ["handbook", page.name],
    queryFn: () => loadPage(page.name),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
  useScrollToAnchor(text);
  const parts = useMemo(() => sectionsOf(text ?? "").filter(({ level }) => level === 2 || level === 3), [text]);
  if (error)
    return (
      <div className="min-w-0 px-4 py-8 sm:px-8">
        <LoadFailure title="The page could not be loaded" message={error.message} onRetry={() => void refetch()} />
      </div>
    );
  if (text === undefined) return <LoadingArea />;
  return (
    <div className="flex min-w-0 gap-8 px-4 py-8 sm:px-8 sm:py-10">
      <article className="mx-auto w-full max-w-3xl min-w-0">
        <HandbookDocument text={text} />
        <Neighbours name={page.name} />
      </article>
      {parts.length > 1 ? (
        <nav
          aria-label="On this page"
          className="sticky top-18 hidden max-h-[calc(var(--below-bar)-3rem)] w-56 shrink-0 self-start overflow-y-auto xl:block"
        >
          <h2 className="pb-1.5 text-xs font-semibold text-ink-faint">On this page</h2>
          <ul className="border-l border-line text-sm">
            {parts.map(({ anchor, heading, level }) => (
              <li key={anchor}>
                <a
                  href={`#${anchor}`}
                  className={`block py-1 text-ink-muted hover:text-ink ${level === 2 ? "pl-3" : "pl-6"}`}
                >
                  {heading}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      ) : null}
    </div>
  );
}

function Neighbours({ name }: { name: string }) {
  const { before, after } = neighboursOf(name);
  const look =
    "flex min-w-0 flex-1 items-center gap-3 rounded-lg border border-line bg-surface p-4 transition-colors hover:border-line-strong";
  return (
    <nav aria-label="Previous and next page" className="mt-12 flex flex-col gap-3 sm:flex-row">
      {before ? (
        <Link to={`/docs/${before.name}`} rel="prev" className={look}>
          <ArrowLeft className="size-4 shrink-0 text-ink-muted" aria-hidden="true" />
          <span className="min-w-0">
            <span className="block text-sm text-ink-muted">Previous</span>
            <span className="block truncate font-medium">{before.title}</span>
          </span>
        </Link>
      ) : null}
      {after ? (
        <Link to={`/docs/${after.name}`} rel="next" className={`${look} justify-end text-right`}>
          <span className="min-w-0">
            <span className="block text-sm text-ink-muted">Next</span>
            <span className="block truncate font-medium">{after.title}</span>
          </span>
          <ArrowRight className="size-4 shrink-0 text-ink-muted" aria-hidden="true" />
        </Link>
      ) : null}
    </nav>
  );
}

/** The router scrolls when the address changes, which may be before the text is here. */
function useScrollToAnchor(text: string | undefined): void {
  const { hash } = useLocation();
  useEffect(() => {
    if (text === undefined || hash === "") return;
    let anchor = hash.slice(1);
    try {
      anchor = decodeURIComponent(anchor);
    } catch {
      // An address that somebody wrote by hand.
    }
    document.getElementById(anchor)?.scrollIntoView();
  }, [text, hash]);
}
