import { Fragment, useState } from "react";

import type { ModelVersion } from "@miranda/contract/schemas/models/versions.ts";

import { oneLine } from "../../../ui/text/drawable-text.ts";
import { bestValue } from "../../../panels/models/metric-words.ts";
import { useGivenVersion } from "../use-chosen-version.ts";
import type { ValueColumn } from "./value-column.ts";
import { VersionDetails } from "./version-details.tsx";
import { VersionRow } from "./version-row.tsx";

interface VersionsTableProps {
  versions: readonly ModelVersion[];
  columns: readonly ValueColumn[];
  chosen: ReadonlySet<number>;
  onChoose: (number: number, isChosen: boolean) => void;
}

const head = "border-b border-line bg-sunken px-3 py-2 font-medium whitespace-nowrap text-ink-muted";

export function VersionsTable({ versions, columns, chosen, onChoose }: VersionsTableProps) {
  const given = useGivenVersion();
  const [open, setOpen] = useState<ReadonlySet<number>>(() => new Set(given === undefined ? [] : [given]));
  const best = new Map(
    columns
      .filter(({ kind }) => kind === "metric")
      .map(({ name }) => [
        name,
        bestValue(
          name,
          versions.map(({ metrics }) => metrics[name]),
        ),
      ]),
  );
  const width = columns.length + 7;
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
      tabIndex={0}
      className="relative overflow-x-auto rounded-lg border border-line bg-surface shadow-low -outline-offset-2"
    >
      <table className="w-full border-separate border-spacing-0 text-left text-sm">
        <caption className="sr-only">The versions of the model</caption>
        <thead>
          <tr>
            <th scope="col" className={`${head} w-9 pr-0`}>
              <span className="sr-only">Compare</span>
            </th>
            <th scope="col" className={head}>
              Version
            </th>
            {columns.map(({ kind, name }) => (
              <th
                key={`${kind} ${name}`}
                scope="col"
                title={`${oneLine(name)} (${kind === "metric" ? "metric" : "parameter"})`}
                className={`${head} max-w-40 truncate text-right`}
              >
                {oneLine(name)}
              </th>
            ))}
            <th scope="col" className={`${head} text-right`}>
              Size
            </th>
            <th scope="col" className={head}>
              Author
            </th>
            <th scope="col" className={head}>
              Created
            </th>
            <th scope="col" className={head}>
              Stage
            </th>
            <th scope="col" className={`${head} w-12`}>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {versions.map((version) => {
            const { number } = version;
            const isOpen = open.has(number);
            return (
              <Fragment key={number}>
                <VersionRow
                  version={version}
                  columns={columns}
                  best={best}
                  isChosen={chosen.has(number)}
                  onChoose={(isChosen) => onChoose(number, isChosen)}
                  isOpen={isOpen}
                  onToggle={() =>
                    setOpen(new Set(isOpen ? [...open].filter((one) => one !== number) : [...open, number]))
                  }
                />
                {isOpen ? (
                  <tr>
                    <td colSpan={width} className="border-b border-line bg-sunken/50 p-0">
                      <VersionDetails version={version} />
                    </td>
                  </tr>
                ) : null}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
