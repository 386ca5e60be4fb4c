import { Columns3, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { Link } from "react-router";

import type { ModelSort } from "@miranda/contract/schemas/models/models.ts";

import { type ModelOrder, useModels } from "../../api/models/model-list.ts";
import { modelTrashAddress } from "../../api/models/model.ts";
import { debounce, models as limits } from "../../limits.ts";
import { useTopBar } from "../../shell/top-bar-context.tsx";
import { CodeBlock } from "../../panels/code-block.tsx";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { countedTotal } from "../../format/list-total.ts";
import { SearchField } from "../../ui/form/search-field.tsx";
import { useDebouncedText } from "../../ui/form/use-debounced-text.ts";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { useMedia } from "../../ui/layout/use-media.ts";
import { Dropdown, DropdownCheckbox } from "../../ui/overlay/dropdown.tsx";
import { modelColumns, valuesFirst } from "./model-columns.tsx";
import { ModelsTable } from "./models-table.tsx";

/** Each click on a header goes one step further: ascending, descending, none. */
function nextOrder(order: ModelOrder | undefined, sort: ModelSort): ModelOrder | undefined {
  if (order?.sort !== sort) return { sort, direction: "asc" };
  return order.direction === "asc" ? { sort, direction: "desc" } : undefined;
}

export function ModelsScreen() {
  useTopBar({});
  const [order, setOrder] = useState<ModelOrder | undefined>(limits.defaultOrder);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  // The same list while nothing changes: another one would draw every row again.
  const isNarrow = useMedia("(max-width: 639px)");
  const columns = useMemo(
    () => (isNarrow ? valuesFirst(modelColumns) : modelColumns).filter((column) => !hidden.has(column.id)),
    [isNarrow, hidden],
  );
  const id = useDebouncedText(debounce.default);
  const graph = useDebouncedText(debounce.default);
  const search = { id: id.committed.trim(), graph: graph.committed.trim(), order };
  const { data, error, isPending, isFetching, isPlaceholderData, refetch, ...more } = useModels(search);
  const isSearching = isPlaceholderData || id.isWaiting || graph.isWaiting;
  const field = ({ text, setText, commit }: typeof id) => ({
    value: text,
    onChange: (event: { target: { value: string } }) => setText(event.target.value),
    onBlur: commit,
    onKeyDown: (event: { key: string }) => event.key === "Enter" && commit(),
    className: "w-full sm:w-64",
  });
  return (
    <div className="mx-auto flex w-full max-w-[110rem] flex-col gap-5 px-4 py-6 sm:px-6 sm:py-8">
      <div className="flex items-center justify-between gap-4">
        <h1 className="text-2xl font-semibold">Models</h1>
        <Link to={modelTrashAddress} className={buttonClasses({ size: "sm", variant: "ghost" })}>
          <Trash2 className="size-3.5" aria-hidden="true" />
          Deleted models
        </Link>
      </div>
      {isPending ? <LoadingArea label="Loading models" /> : null}
      {error && !data ? (
        <LoadFailure
          title="Models could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : null}
      {data ? (
        <>
          <div className="flex flex-wrap items-center gap-2">
            <SearchField
              label="Search by ID"
              {...field(id)}
              busy={id.isWaiting || (isPlaceholderData && search.id !== "")}
            />
            <SearchField
              label="Search by Graph"
              {...field(graph)}
              busy={graph.isWaiting || (isPlaceholderData && search.graph !== "")}
            />
            <output className="text-sm text-ink-muted sm:ml-2">
              {isSearching || data.total === null ? null : countedTotal(data.total, "model")}
            </output>
            <div className="ml-auto">
              <ColumnsMenu hidden={hidden} onChange={setHidden} />
            </div>
          </div>
          <ModelsTable
            models={data.models}
            columns={columns}
            search={search}
            onSort={(sort) => setOrder(nextOrder(order, sort))}
            more={{ ...more, error }}
          />
          {data.models.length === 0 && search.id === "" && search.graph === "" ? <HowToLog /> : null}
        </>
      ) : null}
    </div>
  );
}

/** For people who have no model yet. */
function HowToLog() {
  return (
    <section aria-label="How a model comes about" className="flex max-w-3xl flex-col gap-3">
      <p className="text-ink-muted">
        A model comes about when training code logs it: with MLflow, as here, or with{" "}
        <code className="font-mono text-sm">
          miranda.log_model("iris", metrics={"{"}"loss": 0.1{"}"})
        </code>{" "}
        in a node.
      </p>
      <CodeBlock label="In a node" text={example} />
    </section>
  );
}

const example = `# /// script
# dependencies = ["mlflow", "scikit-learn"]
# ///
import mlflow
from miranda import Node
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression


class Train(Node):
    def run(self):
        mlflow.sklearn.autolog(registered_model_name="iris")
        LogisticRegression(max_iter=200).fit(*load_iris(return_X_y=True))
`;

interface ColumnsMenuProps {
  hidden: ReadonlySet<string>;
  onChange: (hidden: ReadonlySet<string>) => void;
}

function ColumnsMenu({ hidden, onChange }: ColumnsMenuProps) {
  return (
    <Dropdown
      trigger={
        <Button>
          <Columns3 className="size-4" aria-hidden="true" />
          Columns
        </Button>
      }
    >
      {modelColumns.map(({ id, title }) => (
        <DropdownCheckbox
          key={id}
          checked={!hidden.has(id)}
          onCheckedChange={(checked) =>
            onChange(new Set(checked ? [...hidden].filter((one) => one !== id) : [...hidden, id]))
          }
          // Keep the menu open, so that several can be ticked.
          onSelect={(event) => event.preventDefault()}
        >
          {title}
        </DropdownCheckbox>
      ))}
    </Dropdown>
  );
}
