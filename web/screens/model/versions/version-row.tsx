import { ChevronRight } from "lucide-react";

import type { ModelVersion } from "@miranda/contract/schemas/models/versions.ts";

import { fileSize } from "../../../format/file-size.ts";
import { personName } from "../../../panels/runs/run-words.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { classes } from "../../../ui/classes.ts";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { metricWords } from "../../../panels/models/metric-words.ts";
import { StageBadge } from "../../../panels/models/stage-badge.tsx";
import type { ValueColumn } from "./value-column.ts";
import { VersionMenu } from "./version-menu.tsx";

interface VersionRowProps {
  version: ModelVersion;
  columns: readonly ValueColumn[];
  /** The best value of each metric. */
  best: ReadonlyMap<string, number | undefined>;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
  isOpen: boolean;
  onToggle: () => void;
}

const cell = "h-11 border-b border-line px-3 whitespace-nowrap group-hover:bg-hover";

export function VersionRow({ version, columns, best, isChosen, onChoose, isOpen, onToggle }: VersionRowProps) {
  const { number, aliases, status, author, by } = version;
  return (
    <tr className="group" data-testid="version" data-number={number}>
      <td className={`${cell} pr-0`}>
        <input
          type="checkbox"
          aria-label={`Choose version ${number}`}
          checked={isChosen}
          onChange={({ target }) => onChoose(target.checked)}
          className="block size-4 accent-(--accent)"
        />
      </td>
      <th scope="row" className={`${cell} font-normal`}>
        <span className="flex items-center gap-2">
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={onToggle}
            className="flex items-center gap-1 rounded-sm font-medium text-accent-text hover:underline"
          >
            <ChevronRight
              className={classes("size-4 text-ink-faint transition-transform", isOpen && "rotate-90")}
              aria-hidden="true"
            />
            Version {number}
          </button>
          {aliases.map((alias) => (
            <Badge key={alias} tone="accent">
              {alias}
            </Badge>
          ))}
          {status === "READY" ? null : (
            <Badge tone={status.startsWith("FAILED") ? "danger" : "warning"}>
              {status.startsWith("FAILED") ? "Failed" : "Not complete"}
            </Badge>
          )}
        </span>
      </th>
      {columns.map(({ kind, name }) => {
        if (kind === "param")
          return (
            <td
              key={`${kind} ${name}`}
              className={`${cell} max-w-40 truncate text-right`}
              title={oneLine(version.params[name] ?? "")}
            >
              {name in version.params ? oneLine(version.params[name] ?? "") : <span className="text-ink-faint">–</span>}
            </td>
          );
        const value = version.metrics[name];
        const isBest = typeof value === "number" && best.get(name) === value;
        return (
          <td
            key={`${kind} ${name}`}
            className={classes(cell, "text-right tabular-nums", isBest && "font-semibold text-success-text")}
            title={value === undefined || value === null ? undefined : `${value}${isBest ? ", the best" : ""}`}
          >
            {metricWords(value)}
            {isBest ? <span className="sr-only">, the best</span> : null}
          </td>
        );
      })}
      <td className={`${cell} text-right tabular-nums`}>
        {version.files === 0 ? <span className="text-ink-faint">No files</span> : fileSize(version.bytes)}
      </td>
      <td dir="auto" className={`${cell} max-w-40 truncate`}>
        {oneLine(by ? personName(by) : author || "Unknown")}
      </td>
      <td className={cell}>
        <RelativeTime time={version.time_created} />
      </td>
      <td className={cell}>
        <StageBadge stage={version.stage} />
      </td>
      <td className={`${cell} pl-0 text-right`}>
        <VersionMenu version={version} />
      </td>
    </tr>
  );
}
