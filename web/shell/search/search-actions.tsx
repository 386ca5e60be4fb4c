import {
  BookOpen,
  Box,
  Compass,
  Cpu,
  FolderUp,
  Gauge,
  GitCompareArrows,
  GitMerge,
  History,
  LayoutGrid,
  ListChecks,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Plus,
  Rocket,
  Sun,
  Tag,
  UserRound,
} from "lucide-react";

import { logOut } from "../../api/account/session.ts";
import { contents } from "../../screens/handbook/contents.ts";
import { includesText } from "../../ui/includes-text.ts";
import { toast } from "../../ui/overlay/toast.ts";
import { setTheme } from "../theme.ts";
import type { SearchItem } from "./search-results.tsx";

/** What can be done with the workflow that is open. */
export function workflowItems(pathname: string, open: (path: string) => void): SearchItem[] {
  const [workflow, graph] = /^\/designer\/projects\/[^/]+\/graphs\/(?!new$)([^/]+)/.exec(pathname) ?? [];
  if (workflow === undefined || graph === undefined) return projectItems(pathname, open);
  return [
    action("Runs of this workflow", ListChecks, () => open(`/designer/runs?graph=${graph}`)),
    action("History of this workflow", History, () => open(`${workflow}/history`)),
    action("Name a version of this workflow", Tag, () => open(`${workflow}/history?do=name`)),
    action("Publish this workflow", Rocket, () => open(`${workflow}/history?do=publish`)),
    action("Compare versions of this workflow", GitCompareArrows, () => open(`${workflow}/compare`)),
    action("Merge changes into this workflow", GitMerge, () => open(`${workflow}/merge`)),
    action("Import a folder into this workflow…", FolderUp, () => open(`${workflow}/merge?files=`)),
  ];
}

function projectItems(pathname: string, open: (path: string) => void): SearchItem[] {
  const project = /^\/designer\/projects\/[^/]+/.exec(pathname)?.[0];
  return project === undefined ? [] : [action("Runs of this project", ListChecks, () => open(`${project}/runs`))];
}

export function actionItems(open: (path: string) => void, docsUrl: string | null | undefined): SearchItem[] {
  return [
    action("New project", Plus, () => open("/designer/new")),
    action("Browse projects", Compass, () => open("/designer/browse")),
    action("Runs", ListChecks, () => open("/designer/runs")),
    action("Your processors", Cpu, () => open("/designer/processors")),
    action("Models", Box, () => open("/designer/models")),
    action("Explorer", LayoutGrid, () => open("/explorer/")),
    action("Account", UserRound, () => open("/account")),
    action("Usage", Gauge, () => open("/account/billing")),
    action("Open the handbook", BookOpen, () => openBeside(docsUrl ?? "/docs")),
    action("Use light theme", Sun, () => setTheme("light")),
    action("Use dark theme", Moon, () => setTheme("dark")),
    action("Use system theme", Monitor, () => setTheme("system")),
    action("Sign out", LogOut, () => void logOut().catch((cause: Error) => toast.error(cause.message))),
  ];
}

function action(name: string, Icon: LucideIcon, run: () => void): SearchItem {
  return { value: `action ${name}`, icon: <Icon className="size-4" aria-hidden="true" />, name, run };
}

/** The pages of the handbook, by their titles and by what they are about. */
export function handbookItems(text: string): SearchItem[] {
  if (text.trim() === "") return [];
  return contents
    .flatMap(({ pages }) => pages)
    .filter(({ title, about }) => includesText(`${title} ${about}`, text))
    .map(({ name, title, about }) => ({
      value: `handbook ${name}`,
      icon: <BookOpen className="size-4" aria-hidden="true" />,
      name: title,
      detail: about,
      run: () => openBeside(`/docs/${name}`),
    }));
}

/** In a new tab: what a person is doing stays open. */
function openBeside(address: string): void {
  window.open(address, "_blank", "noopener");
}
