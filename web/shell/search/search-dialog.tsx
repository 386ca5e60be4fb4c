import { Command } from "cmdk";
import { Search } from "lucide-react";
import * as Dialog from "radix-ui/dialog";
import { useRef, useState } from "react";
import { useLocation, useNavigate } from "react-router";

import { search as limits } from "../../limits.ts";

import { useAccount } from "../../api/account/session.ts";
import { useSettings } from "../../api/settings.ts";
import { DialogPanel } from "../../ui/overlay/dialog.tsx";
import { includesText } from "../../ui/includes-text.ts";
import { SpinnerIcon } from "../../ui/layout/spinner.tsx";
import { readRecentFinds, rememberFind } from "./recent-finds.ts";
import { actionItems, handbookItems, workflowItems } from "./search-actions.tsx";
import { resultSections, type SearchItem, type SearchSection, useSearchResults } from "./search-results.tsx";
import { sectionOf } from "../section.ts";

interface SearchDialogProps {
  open: boolean;
  /** What the search begins with. */
  typed: string;
  onOpenChange: (open: boolean) => void;
}

export function SearchDialog({ open, typed, onOpenChange }: SearchDialogProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <DialogPanel className="max-w-xl" aria-describedby={undefined} data-testid="search-dialog">
        <Dialog.Title className="sr-only">Search</Dialog.Title>
        <Palette typed={typed} onClose={() => onOpenChange(false)} />
      </DialogPanel>
    </Dialog.Root>
  );
}

/** Mounted anew each time the dialog opens, so it loads current data and has no earlier text. */
function Palette({ typed, onClose }: { typed: string; onClose: () => void }) {
  const [text, setText] = useState(typed);
  const results = useSearchResults(text);
  const open = useOpen();
  const { pathname } = useLocation();
  const { id: account } = useAccount();
  const docsUrl = useSettings()?.docs_url;
  const [recent] = useState(() => readRecentFinds(account));
  const actions = [...workflowItems(pathname, open), ...actionItems(open, docsUrl)].filter(({ name }) =>
    includesText(name, text),
  );
  const sections: SearchSection[] = [
    ...resultSections(results, { text, recent }, (find) => {
      rememberFind(account, find);
      open(find.address);
    }),
    { heading: "Actions", items: actions },
    // Another address for the documentation replaces the handbook.
    { heading: "Handbook", items: docsUrl ? [] : handbookItems(text) },
  ].filter(({ items }) => items.length > 0);
  const pointer = usePointer(sections[0]?.items[0]?.value ?? "");

  return (
    // The palette's own fuzzy filter would hide results of the server, so it is off.
    <Command loop label="Search" shouldFilter={false} {...pointer.props}>
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        {results.busy ? (
          <SpinnerIcon className="size-4 text-ink-faint" />
        ) : (
          <Search className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
        )}
        <Command.Input
          value={text}
          onValueChange={(typed) => {
            setText(typed);
            pointer.reset();
          }}
          placeholder="Type a command or search..."
          className="h-12 w-full bg-transparent text-lg outline-none"
        />
      </div>
      <Command.List
        className="scroll-py-1.5 overflow-y-auto overscroll-contain p-1.5"
        style={{ maxHeight: limits.listMaxHeightPixels }}
      >
        {results.error ? (
          <p role="alert" className="px-2.5 py-2 text-sm text-danger-text">
            {results.error.message}
          </p>
        ) : null}
        {results.found?.incomplete === true ? (
          <p className="px-2.5 py-2 text-sm text-ink-muted">The search took too long. Type more to find the rest.</p>
        ) : null}
        {results.busy ? null : (
          <Command.Empty className="py-10 text-center text-ink-muted">No results found.</Command.Empty>
        )}
        {sections.map(({ heading, items }) => (
          <Command.Group
            key={heading}
            heading={heading}
            className="**:[[cmdk-group-heading]]:px-2.5 **:[[cmdk-group-heading]]:py-1.5 **:[[cmdk-group-heading]]:text-xs **:[[cmdk-group-heading]]:font-medium **:[[cmdk-group-heading]]:text-ink-faint"
          >
            {items.map((item) => (
              <PaletteItem
                key={item.value}
                item={item}
                onSelect={() => {
                  onClose();
                  item.run();
                }}
              />
            ))}
          </Command.Group>
        ))}
      </Command.List>
      {sections.some(({ isCut }) => isCut) ? (
        <p className="border-t border-line px-4 py-2 text-xs text-ink-faint">
          {text.trim() === ""
            ? "These are the newest. Type to find others."
            : "There are more. Type more to narrow them."}
        </p>
      ) : null}
    </Command>
  );
}

function PaletteItem({ item, onSelect }: { item: SearchItem; onSelect: () => void }) {
  return (
    <Command.Item
      value={item.value}
      onSelect={onSelect}
      className="flex h-10 cursor-default items-center gap-3 rounded-md px-2.5 select-none data-[selected=true]:bg-hover"
    >
      <span className="grid w-6 shrink-0 place-items-center text-ink-muted">{item.icon}</span>
      <span dir="auto" className="min-w-0 truncate">
        {item.name}
      </span>
      {item.detail ? (
        <span dir="auto" className="ml-auto max-w-2/5 shrink-0 truncate pl-2 text-sm text-ink-faint">
          {item.detail}
        </span>
      ) : null}
    </Command.Item>
  );
}

/** Enter takes the first item, even when better items arrive above it, until the person points at another. */
function usePointer(first: string) {
  const [pointed, setPointed] = useState<string | null>(null);
  const isPointing = useRef(false);
  const point = () => {
    isPointing.current = true;
  };
  return {
    props: {
      value: pointed ?? first,
      onValueChange: (value: string) => {
        if (isPointing.current) setPointed(value);
      },
      onKeyDown: point,
      onPointerMove: point,
    },
    reset() {
      isPointing.current = false;
      setPointed(null);
    },
  };
}

/** Opens an address: in-app inside the Designer, otherwise by a page load. */
function useOpen(): (path: string) => void {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return (path) => {
    if (sectionOf(pathname) === "designer") void navigate(path);
    else location.assign(path);
  };
}
