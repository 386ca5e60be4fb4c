import {
  type ColumnFiltersState,
  getCoreRowModel,
  getFilteredRowModel,
  getSortedRowModel,
  type SortingState,
  useReactTable,
  type VisibilityState,
} from "@tanstack/react-table";
import { Columns3 } from "lucide-react";
import { useState } from "react";

import { models as limits } from "../../limits.ts";
import type { Model } from "@miranda/contract/schemas/models.ts";

import { useModels } from "../../api/models.ts";
import { useTopBar } from "../../shell/top-bar-context.tsx";
import { Button } from "../../ui/button.tsx";
import { Dropdown, DropdownCheckbox } from "../../ui/overlay/dropdown.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { SearchField } from "../../ui/form/search-field.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { modelColumns } from "./model-columns.tsx";
import { ModelsTable } from "./models-table.tsx";

const { defaultSort } = limits;
const none: Model[] = [];

export function ModelsScreen() {
  useTopBar({});
  const { data, error, isPending, isFetching, refetch } = useModels();
  return (
    <div className="mx-auto flex w-full max-w-[110rem] flex-col gap-5 px-4 py-6 sm:px-6 sm:py-8">
      <h1 className="text-2xl font-semibold">Models</h1>
      {isPending ? <LoadingArea label="Loading models" /> : null}
      {error && !data ? (
        <LoadFailure
          title="Models could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : null}
      {data ? <Models models={data} /> : null}
    </div>
  );
}

function Models({ models }: { models: Model[] }) {
  const [sorting, setSorting] = useState<SortingState>([{ id: defaultSort.column, desc: defaultSort.descending }]);
  const [columnFilters, setColumnFilters] = useState<ColumnFiltersState>([]);
  const [columnVisibility, setColumnVisibility] = useState<VisibilityState>({});
  // oxlint-disable-next-line react/incompatible-library -- the library mutates its object, so nothing here is memoised
  const table = useReactTable({
    data: models.length === 0 ? none : models,
    columns: modelColumns,
    getRowId: ({ id, name }, index) => id ?? `${name} ${index}`,
    state: { sorting, columnFilters, columnVisibility },
    onSortingChange: setSorting,
    onColumnFiltersChange: setColumnFilters,
    onColumnVisibilityChange: setColumnVisibility,
    enableMultiSort: false,
    getCoreRowModel: getCoreRowModel(),
    getSortedRowModel: getSortedRowModel(),
    getFilteredRowModel: getFilteredRowModel(),
  });
  const filterOf = (id: string) => {
    const text = table.getColumn(id)?.getFilterValue();
    return {
      value: typeof text === "string" ? text : "",
      onChange: (event: { target: { value: string } }) => table.getColumn(id)?.setFilterValue(event.target.value),
    };
  };
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <SearchField label="Search by ID" {...filterOf("name")} className="w-full sm:w-64" />
        <SearchField label="Search by Graph" {...filterOf("graph")} className="w-full sm:w-64" />
        <div className="ml-auto">
          <Dropdown
            trigger={
              <Button>
                <Columns3 className="size-4" aria-hidden="true" />
                Columns
              </Button>
            }
          >
            {table.getAllLeafColumns().map((column) => (
              <DropdownCheckbox
                key={column.id}
                checked={column.getIsVisible()}
                onCheckedChange={(checked) => column.toggleVisibility(checked)}
                // Keep the menu open, so that several can be ticked.
                onSelect={(event) => event.preventDefault()}
              >
                {column.columnDef.meta?.title ?? column.id}
              </DropdownCheckbox>
            ))}
          </Dropdown>
        </div>
      </div>
      <ModelsTable table={table} />
    </>
  );
}
