import { Command } from "cmdk";
import { Box, Compass, Cpu, LogOut, type LucideIcon, Monitor, Moon, Plus, Search, Sun } from "lucide-react";
import * as Dialog from "radix-ui/dialog";
import { useLocation, useNavigate } from "react-router";
import { toast } from "sonner";

import { search as limits } from "@miranda/contract/limits.ts";

import { logOut } from "../api/session.ts";
import { DialogPanel } from "../ui/dialog.tsx";
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
  const actions = useActions();
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <DialogPanel className="max-w-xl" aria-describedby={undefined} data-testid="search-dialog">
        <Dialog.Title className="sr-only">Search</Dialog.Title>
        <Command loop label="Search">
          <div className="flex items-center gap-2.5 border-b border-line px-4">
            <Search className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
            <Command.Input
              placeholder="Type a command or search..."
              className="h-12 w-full bg-transparent text-lg outline-none"
            />
          </div>
          <Command.List
            className="scroll-py-1.5 overflow-y-auto overscroll-contain p-1.5"
            style={{ maxHeight: limits.listMaxHeightPixels }}
          >
            <Command.Empty className="py-10 text-center text-ink-muted">No results found.</Command.Empty>
            <Command.Group
              heading="Actions"
              className="**:[[cmdk-group-heading]]:px-2.5 **:[[cmdk-group-heading]]:py-1.5 **:[[cmdk-group-heading]]:text-xs **:[[cmdk-group-heading]]:font-medium **:[[cmdk-group-heading]]:text-ink-faint"
            >
              {actions.map(({ label, icon: Icon, run }) => (
                <Command.Item
                  key={label}
                  value={label}
                  onSelect={() => {
                    onOpenChange(false);
                    run();
                  }}
                  className="flex h-10 cursor-default items-center gap-3 rounded-md px-2.5 select-none data-[selected=true]:bg-hover"
                >
                  <Icon className="size-4 text-ink-muted" aria-hidden="true" />
                  {label}
                </Command.Item>
              ))}
            </Command.Group>
          </Command.List>
        </Command>
      </DialogPanel>
    </Dialog.Root>
  );
}

function useActions(): Action[] {
  const open = useOpenDesigner();
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
