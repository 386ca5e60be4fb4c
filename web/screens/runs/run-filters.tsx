import { useInfiniteQuery } from "@tanstack/react-query";
import { ListFilter as FilterIcon, X } from "lucide-react";
import { type ReactNode, useEffect, useId, useState } from "react";

import type { Run } from "@miranda/contract/schemas/runs.ts";

import { useAccount } from "../../api/account/session.ts";
import { versionsQuery } from "../../api/versions.ts";
import { debounce } from "../../limits.ts";
import { runLooks } from "../../panels/runs/run-looks.ts";
import { personName } from "../../panels/runs/run-words.ts";
import { Button } from "../../ui/button.tsx";
import { DayField } from "../../ui/form/day-field.tsx";
import { PlainSelect } from "../../ui/form/plain-select.tsx";
import { SearchField } from "../../ui/form/search-field.tsx";
import { useDebouncedText } from "../../ui/form/use-debounced-text.ts";
import { useMedia } from "../../ui/layout/use-media.ts";
import { isFiltered, type ListFilter, type StateChoice, stateChoices } from "./list-filter.ts";
import { WorkflowFilter } from "./workflow-filter.tsx";

interface RunFiltersProps {
  filter: ListFilter;
  projectId: string | undefined;
  /** The loaded runs, for the people who ran them. */
  runs: readonly Run[];
  isSearching: boolean;
  onChange: (changes: Partial<ListFilter>) => void;
}

/** What the list shows. Everything is part of the address. */
export function RunFilters({ filter, projectId, runs, isSearching, onChange }: RunFiltersProps) {
  const isNarrow = useMedia("(max-width: 639px)");
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const hasFilter = isFiltered(filter);
  return (
    <search className="flex flex-wrap items-end gap-2" aria-label="Runs">
      <Search filter={filter} busy={isSearching} onChange={onChange} />
      {isNarrow ? (
        <Button aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          <FilterIcon className="size-4" aria-hidden="true" />
          Filters
        </Button>
      ) : null}
      <div id={id} className={isNarrow && !isOpen ? "hidden" : "contents"}>
        <PlainSelect
          label="State"
          value={filter.state}
          onChange={(state) => onChange({ state: stateChoices.find((one) => one === state) ?? "" })}
        >
          <option value="">Any state</option>
          {stateChoices.map((state) => (
            <option key={state} value={state}>
              {stateWords(state)}
            </option>
          ))}
        </PlainSelect>
        <PersonChoice runs={runs} value={filter.by} onChange={(by) => onChange({ by })} />
        <WorkflowFilter
          graphId={filter.graph}
          projectId={projectId}
          onChange={(graph) => onChange({ graph, version: "", session: "" })}
        />
        {filter.graph === "" ? null : (
          <VersionChoice graphId={filter.graph} value={filter.version} onChange={(version) => onChange({ version })} />
        )}
        <DayField label="From" value={filter.from} max={filter.until} onChange={(from) => onChange({ from })} />
        <DayField label="Until" value={filter.until} min={filter.from} onChange={(until) => onChange({ until })} />
      </div>
      {filter.session === "" ? null : <Chip onRemove={() => onChange({ session: "" })}>One session</Chip>}
      {hasFilter ? (
        <Button
          variant="ghost"
          onClick={() => onChange({ query: "", state: "", by: "", session: "", version: "", from: "", until: "" })}
        >
          Clear
        </Button>
      ) : null}
    </search>
  );
}

function stateWords(state: StateChoice): string {
  if (state === "alive") return "Still running";
  if (state === "bad") return "Ended badly";
  return runLooks[state].word;
}

interface SearchProps {
  filter: ListFilter;
  busy: boolean;
  onChange: (changes: Partial<ListFilter>) => void;
}

/** Searches after a pause. Its text goes when the filters are cleared. */
function Search({ filter, busy, onChange }: SearchProps) {
  const { text, setText, committed, commit, isWaiting } = useDebouncedText(debounce.default, filter.query);
  useEffect(() => {
    if (committed !== filter.query) onChange({ query: committed });
    // Only when the person has paused: another filter must not send the text again.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [committed]);
  useEffect(() => {
    if (filter.query === "" && committed !== "") setText("");
    // Only when the filter changes: a text that has just been typed is not in it yet.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [filter.query]);
  return (
    <SearchField
      label="Search workflows, people, sessions"
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === "Enter" && commit()}
      busy={isWaiting || (busy && committed !== "")}
      className="min-w-0 flex-1 basis-48 sm:max-w-80"
    />
  );
}

interface PersonChoiceProps {
  runs: readonly Run[];
  value: string;
  onChange: (by: string) => void;
}

/** This person, the people of the loaded runs, and who is chosen. */
function PersonChoice({ runs, value, onChange }: PersonChoiceProps) {
  const { username } = useAccount();
  const [met, setMet] = useState<ReadonlyMap<string, string>>(new Map());
  // Whoever was listed once stays: a list of one person's runs names nobody else.
  const missing = runs.filter(({ by }) => by && !met.has(by.username));
  if (missing.length > 0)
    setMet(new Map([...met, ...missing.flatMap(({ by }) => (by ? [[by.username, personName(by)] as const] : []))]));
  const others = [...met].filter(([name]) => name !== username).toSorted(([, a], [, b]) => a.localeCompare(b));
  return (
    <PlainSelect label="Person" value={value} onChange={onChange}>
      <option value="">Anybody</option>
      {username === undefined ? null : <option value={username}>Me</option>}
      {others.map(([name, words]) => (
        <option key={name} value={name}>
          {words}
        </option>
      ))}
      {value === "" || value === username || met.has(value) ? null : <option value={value}>{value}</option>}
    </PlainSelect>
  );
}

/** The named versions, and the one that is chosen. */
function VersionChoice({
  graphId,
  value,
  onChange,
}: {
  graphId: string;
  value: string;
  onChange: (id: string) => void;
}) {
  const { data } = useInfiniteQuery(versionsQuery(graphId, "named"));
  const versions = data?.pages.flatMap((page) => page.versions) ?? [];
  return (
    <PlainSelect label="Version" value={value} onChange={onChange}>
      <option value="">Any version</option>
      {versions.map(({ id, name, number }) => (
        <option key={id} value={id}>
          {number === null ? name : `${name} #${number}`}
        </option>
      ))}
      {value === "" || versions.some(({ id }) => id === value) ? null : <option value={value}>One version</option>}
    </PlainSelect>
  );
}

function Chip({ children, onRemove }: { children: ReactNode; onRemove: () => void }) {
  return (
    <span className="flex h-9 items-center gap-1 rounded-md bg-accent-soft pr-1 pl-3 text-sm text-accent-text">
      {children}
      <button
        type="button"
        aria-label="Remove this filter"
        onClick={onRemove}
        className="grid size-6 place-items-center rounded-sm hover:bg-hover"
      >
        <X className="size-3.5" aria-hidden="true" />
      </button>
    </span>
  );
}
