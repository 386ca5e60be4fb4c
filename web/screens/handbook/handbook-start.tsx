import { useEffect } from "react";
import { Link } from "react-router";

import { documentTitle } from "../../shell/section.ts";
import { contents } from "./contents.ts";

/** The first page: everything the handbook has. */
export function HandbookStart() {
  useEffect(() => {
    document.title = documentTitle("Handbook");
  }, []);
  return (
    <div className="min-w-0 px-4 py-8 sm:px-8 sm:py-10">
      <h1 className="text-2xl font-semibold">Handbook</h1>
      <p className="mt-1 max-w-2xl text-ink-muted">
        How to build, run and share workflows. New here? Start with{" "}
        <Link to="/docs/first-workflow" className="font-medium text-accent-text hover:underline">
          your first workflow
        </Link>
        , or{" "}
        <Link to="/designer/tour" className="font-medium text-accent-text hover:underline">
          take the tour
        </Link>
        .
      </p>
      {contents.map(({ title, pages }) => (
        <section key={title} className="mt-8">
          <h2 className="text-lg font-semibold">{title}</h2>
          <ul className="mt-3 grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
            {pages.map((page) => (
              <li key={page.name}>
                <Link
                  to={`/docs/${page.name}`}
                  className="block h-full rounded-lg border border-line bg-surface p-4 shadow-low transition-colors hover:border-line-strong"
                >
                  <span className="block font-medium text-accent-text">{page.title}</span>
                  <span className="mt-0.5 block text-sm text-ink-muted">{page.about}</span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
