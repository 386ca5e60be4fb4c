import { useInfiniteQuery } from "@tanstack/react-query";
import { Box, Columns3, GitCompareArrows } from "lucide-react";
import { useMemo, useState } from "react";
import { Link } from "react-router";

import { model as limits } from "@miranda/contract/limits.ts";

import { comparedVersionsAddress } from "../../../api/models/compared-versions.ts";
import { modelAddress, modelVersionsQuery } from "../../../api/models/model.ts";
import { CodeBlock } from "../../../panels/code-block.tsx";
import { Button, buttonClasses } from "../../../ui/button.tsx";
import { counted } from "../../../ui/counted.ts";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { Dropdown, DropdownCheckbox } from "../../../ui/overlay/dropdown.tsx";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { useOpenModel } from "../open-model.tsx";
import type { ValueColumn } from "./value-column.ts";
import { VersionsTable } from "./versions-table.tsx";

/** More would push the size and the author out of view at first. */
const shownAtFirst = { metric: 5, param: 3 } as const;

/** All versions of the model, newest first. */
export function VersionsView() {
  const { model } = useOpenModel();
  const query = useInfiniteQuery(modelVersionsQuery(model.id));
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const columns = useMemo(() => valueColumns(model.metric_names, model.param_names), [model]);
  const shown = columns.filter(({ key, isShown }) => isShown !== toggled.has(key));
  const compared = [...chosen].toSorted((one, other) => one - other);

  if (query.isPending) return <LoadingArea label="Loading the versions" />;
  if (!query.data)
    return (
      <div className="p-4 sm:p-6">
        <LoadFailure
          title="The versions could not be loaded"
          message={query.error.message}
          busy={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      </div>
    );
  if (query.data.length === 0) return <NoVersions />;
  return (
    <section aria-label="Versions" className="mx-auto flex w-full max-w-[110rem] flex-col gap-4 px-4 py-5 sm:px-6">
      <div className="flex flex-wrap items-center gap-2">
        <p className="text-sm text-ink-muted">
          {chosen.size === 0
            ? "Tick two or more versions to compare them."
            : `${counted(chosen.size, "version")} chosen`}
        </p>
        {chosen.size >= 2 ? (
          <>
            <Link
              to={comparedVersionsAddress(model.id, compared)}
              className={buttonClasses({ size: "sm", variant: "primary" })}
            >
              <GitCompareArrows className="size-3.5" aria-hidden="true" />
              Compare
            </Link>
            <Link
              to={`${modelAddress(model.id, "charts")}?versions=${compared.join(",")}`}
              className={buttonClasses({ size: "sm" })}
            >
              Charts
            </Link>
          </>
        ) : null}
        {columns.length === 0 ? null : (
          <div className="ml-auto">
            <ColumnsMenu columns={columns} toggled={toggled} onChange={setToggled} />
          </div>
        )}
      </div>
      <VersionsTable
        versions={query.data}
        columns={shown}
        chosen={chosen}
        onChoose={(number, isChosen) => {
          const next = new Set(chosen);
          if (!isChosen) next.delete(number);
          else if (next.size < limits.comparedMax) next.add(number);
          setChosen(next);
        }}
      />
      {query.hasNextPage ? (
        <Button className="self-center" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Older versions
        </Button>
      ) : null}
    </section>
  );
}

interface OfferedColumn extends ValueColumn {
  key: string;
  isShown: boolean;
}

function valueColumns(metrics: readonly string[], params: readonly string[]): OfferedColumn[] {
  const column = (kind: ValueColumn["kind"]) => (name: string, at: number) => ({
    key: `${kind} ${name}`,
    kind,
    name,
    isShown: at < shownAtFirst[kind],
  });
  return [...metrics.map(column("metric")), ...params.map(column("param"))];
}

interface ColumnsMenuProps {
  columns: readonly OfferedColumn[];
  toggled: ReadonlySet<string>;
  onChange: (toggled: ReadonlySet<string>) => void;
}

function ColumnsMenu({ columns, toggled, onChange }: ColumnsMenuProps) {
  return (
    <Dropdown
      trigger={
        <Button size="sm">
          <Columns3 className="size-3.5" aria-hidden="true" />
          Columns
        </Button>
      }
    >
      <div className="max-h-[60dvh] max-w-72 overflow-y-auto">
        {columns.map(({ key, kind, name, isShown }) => (
          <DropdownCheckbox
            key={key}
            checked={isShown !== toggled.has(key)}
            onCheckedChange={() =>
              onChange(new Set(toggled.has(key) ? [...toggled].filter((one) => one !== key) : [...toggled, key]))
            }
            // Keep the menu open, so that several can be ticked.
            onSelect={(event) => event.preventDefault()}
          >
            <span className="min-w-0 flex-1 truncate">{oneLine(name)}</span>
            <span className="text-xs text-ink-faint">{kind === "metric" ? "metric" : "parameter"}</span>
          </DropdownCheckbox>
        ))}
      </div>
    </Dropdown>
  );
}

function NoVersions() {
  const { model } = useOpenModel();
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-5 px-4 py-8 sm:px-6">
      <EmptyState icon={Box} title="No version yet">
        Training code makes one with <code className="font-mono text-sm">miranda.log_model</code> in a node, or with
        MLflow:
      </EmptyState>
      <CodeBlock
        label="In training code"
        text={`mlflow.sklearn.log_model(estimator, name="model", registered_model_name=${JSON.stringify(model.name)})\n`}
      />
    </div>
  );
}
