import { Menu } from "lucide-react";
import { useState } from "react";
import { Outlet } from "react-router";

import { Button } from "../../ui/button.tsx";
import { ContentsList } from "./contents-list.tsx";
import { HandbookSearch } from "./handbook-search.tsx";

/** The frame of the handbook: contents and search beside the page, or above it where it is narrow. */
export function HandbookScreen() {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="mx-auto w-full max-w-[90rem] lg:grid lg:grid-cols-[17rem_minmax(0,1fr)]" data-testid="handbook">
      <aside
        aria-label="Contents and search"
        className="z-10 border-line bg-canvas max-lg:sticky max-lg:top-12 max-lg:border-b lg:sticky lg:top-12 lg:flex lg:h-(--below-bar) lg:flex-col lg:border-r"
      >
        <div className="flex items-center gap-2 px-4 py-2.5 lg:block lg:px-4 lg:py-5">
          <Button
            className="lg:hidden"
            aria-expanded={isOpen}
            aria-controls="handbook-contents"
            onClick={() => setOpen(!isOpen)}
          >
            <Menu className="size-4" aria-hidden="true" />
            Contents
          </Button>
          <div className="min-w-0 flex-1">
            <HandbookSearch />
          </div>
        </div>
        <div
          id="handbook-contents"
          className={`px-2 pb-6 max-lg:max-h-[70dvh] overflow-y-auto lg:block lg:min-h-0 lg:flex-1 ${isOpen ? "" : "hidden"}`}
        >
          <ContentsList onNavigate={() => setOpen(false)} />
        </div>
      </aside>
      <Outlet />
    </div>
  );
}
