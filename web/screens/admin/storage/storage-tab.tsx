import { HardDrive } from "lucide-react";
import { useState } from "react";

import type { AdminStorage, StorageOfProject } from "@miranda/contract/schemas/admin/storage.ts";

import { useStorage } from "../../../api/admin/storage.ts";
import { fileSize } from "../../../format/file-size.ts";
import { debounce } from "../../../limits.ts";
import { Button } from "../../../ui/button.tsx";
import { useDebouncedText } from "../../../ui/form/use-debounced-text.ts";
import { NotLoaded } from "../not-loaded.tsx";
import { SearchedList } from "../searched-list.tsx";
import { ProjectName } from "../sessions/project-name.tsx";
import { FreeDialog } from "./free-dialog.tsx";

/** What projects store, and what of it can be deleted. */
export function StorageTab() {
  const search = useDebouncedText(debounce.filter);
  const list = useStorage(search.committed.trim());
  const [chosen, setChosen] = useState<StorageOfProject | null>(null);
  const { data } = list;
  const notLoaded = data ? undefined : <NotLoaded title="The storage could not be loaded" query={list} />;
  if (notLoaded && search.text === "") return notLoaded;
  const [first] = data?.pages ?? [];
  return (
    <div className="flex flex-col gap-4">
      <SearchedList
        title="Storage"
        description={first ? usedText(first) : ""}
        search={search}
        searchLabel="Search project or owner"
        label="Storage of projects"
        items={data?.pages.flatMap((page) => page.projects) ?? []}
        failure={notLoaded}
        render={(project) => <Project project={project} onFree={() => setChosen(project)} />}
        empty={{ icon: HardDrive, title: "No projects", text: "Projects appear here with what they store." }}
        noMatch="No matching projects"
        pages={list}
      />
      <p className="text-sm text-ink-muted">
        A file that several projects use counts in each. Volumes and packages are measured every hour, where the server
        can: on its own machine, not on the machines of a Swarm.
      </p>
      {chosen === null ? null : <FreeDialog project={chosen} onClose={() => setChosen(null)} />}
    </div>
  );
}

function usedText({ total, database_bytes, disk }: AdminStorage): string {
  const free = disk === null ? "" : ` ${fileSize(disk.free_bytes)} of ${fileSize(disk.bytes)} on the disk are free.`;
  return `Projects store ${fileSize(total)}. The database has ${fileSize(database_bytes)}.${free}`;
}

const parts = [
  { part: "artifacts", label: "Models and artefacts" },
  { part: "results", label: "Kept results" },
  { part: "files", label: "Uploaded files" },
  { part: "logs", label: "Logs" },
  { part: "outputs", label: "Outputs" },
  { part: "session_files", label: "Files of ended sessions" },
  { part: "volumes", label: "Volumes" },
  { part: "packages", label: "Packages" },
] as const;

function Project({ project, onFree }: { project: StorageOfProject; onFree: () => void }) {
  const stored = parts.filter(({ part }) => project[part] > 0);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3">
      <div className="min-w-0 grow basis-60">
        <div className="truncate font-medium">
          <ProjectName project={project} />
        </div>
        <div className="text-sm text-ink-muted">
          {project.owner ?? "Deleted account"}
          {stored.map(({ part, label }) => (
            <span key={part}>
              {" "}
              · {label} {fileSize(project[part])}
            </span>
          ))}
        </div>
      </div>
      <span className="font-medium tabular-nums">{fileSize(project.total)}</span>
      <Button size="sm" aria-label={`Free up space of ${project.name}`} onClick={onFree}>
        Free up space…
      </Button>
    </div>
  );
}
