import { NavLink } from "react-router";

import { classes } from "../../ui/classes.ts";
import { contents } from "./contents.ts";

/** The table of contents. */
export function ContentsList({ onNavigate }: { onNavigate?: () => void }) {
  return (
    <nav aria-label="Handbook" className="flex flex-col gap-5">
      {contents.map(({ title, pages }) => (
        <div key={title}>
          <h2 className="px-2.5 pb-1 text-xs font-semibold text-ink-faint">{title}</h2>
          <ul>
            {pages.map((page) => (
              <li key={page.name}>
                <NavLink
                  to={`/docs/${page.name}`}
                  onClick={onNavigate}
                  className={({ isActive }) =>
                    classes(
                      "block rounded-md px-2.5 py-1.5 text-sm transition-colors hover:bg-hover max-sm:py-2",
                      isActive ? "bg-accent-soft font-medium text-accent-text" : "text-ink-muted hover:text-ink",
                    )
                  }
                >
                  {page.title}
                </NavLink>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
