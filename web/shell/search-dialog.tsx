import { Command } from "cmdk";
import { Box, Compass, Cpu, LogOut, type LucideIcon, Monitor, Moon, Plus, Search, Sun } from "lucide-react";
import * as Dialog from "radix-ui/dialog";
import { useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { toast } from "sonner";

import { search as limits } from "@miranda/contract/limits.ts";

import { logOut } from "../api/session.ts";
import { DialogPanel } from "../ui/dialog.tsx";
import { includesText } from "../ui/includes-text.ts";
import { SpinnerIcon } from "../ui/spinner.tsx";
import { SearchGroup, SearchItem, SearchResultGroups, useSearchResults } from "./search-results.tsx";
import { sectionOf } from "./section.ts";
import { setTheme } from "./theme.ts";

interface SearchDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

interface Action {
  label: string;
  icon: LucideIcon;
  run: () => void;
}

export function SearchDialog({ open, onOpenChange }: SearchDialogProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <DialogPanel className="max-w-xl" aria-describedby={undefined} data-testid="search-dialog">
        <Dialog.Title className="sr-only">Search</Dialog.Title>
        <Palette onClose={() => onOpenChange(false)} />
      </DialogPanel>
    </Dialog.Root>
  );
}

/** Made anew each time the dialog opens: it starts empty and asks for what is there now. */
function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const results = useSearchResults(text);
  const open = useOpenDesigner();
  const actions = useActions(open).filter(({ label }) => includesText(label, text));

  return (
    // What is found is chosen here, not by the palette's own fuzzy filter, which would hide what the server finds.
    <Command loop label="Search" shouldFilter={false}>
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        {results.busy ? (
          <SpinnerIcon className="size-4 text-ink-faint" />
        ) : (
          <Search className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
        )}
        <Command.Input
          value={text}
          onValueChange={setText}
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
        {results.busy ? null : (
          <Command.Empty className="py-10 text-center text-ink-muted">No results found.</Command.Empty>
        )}
        <SearchResultGroups
          results={results}
          typed={text.trim() !== ""}
          onOpen={(address) => {
            onClose();
            open(address);
          }}
        />
        {actions.length > 0 ? (
          <SearchGroup heading="Actions">
            {actions.map(({ label, icon: Icon, run }) => (
              <SearchItem
                key={label}
                value={`action ${label}`}
                icon={<Icon className="size-4" aria-hidden="true" />}
                name={label}
                onSelect={() => {
                  onClose();
                  run();
                }}
              />
            ))}
          </SearchGroup>
        ) : null}
      </Command.List>
    </Command>
  );
}

function useActions(open: (path: string) => void): Action[] {
  return [
    { label: "New project", icon: Plus, run: () => open("/designer/new") },
    { label: "Browse projects", icon: Compass, run: () => open("/designer/browse") },
    { label: "Your processors", icon: Cpu, run: () => open("/designer/processors") },
    { label: "Models", icon: Box, run: () => open("/designer/models") },
    { label: "Use light theme", icon: Sun, run: () => setTheme("light") },
    { label: "Use dark theme", icon: Moon, run: () => setTheme("dark") },
    { label: "Use system theme", icon: Monitor, run: () => setTheme("system") },
    { label: "Log out", icon: LogOut, run: () => void logOut().catch((cause: Error) => toast.error(cause.message)) },
  ];
}

/** Opens a Designer address: in the app when already in the Designer, otherwise with a load of the page. */
function useOpenDesigner(): (path: string) => void {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return (path) => {
    if (sectionOf(pathname) === "designer") void navigate(path);
    else location.assign(path);
  };
}
