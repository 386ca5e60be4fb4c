import { X } from "lucide-react";

import { lookOf } from "../../../panels/metrics/chart-lines.ts";
import { LineMark } from "../../../panels/metrics/line-mark.tsx";
import { PlainSelect } from "../../../ui/form/plain-select.tsx";

interface ComparedVersionChoiceProps {
  /** All versions, newest first. */
  known: readonly number[];
  compared: readonly number[];
  most: number;
  onChoose: (compared: readonly number[]) => void;
}

/** Which versions are compared, in the order of their columns. */
export function ComparedVersionChoice({ known, compared, most, onChoose }: ComparedVersionChoiceProps) {
  const others = known.filter((number) => !compared.includes(number));
  return (
    <div className="flex flex-wrap items-center gap-2">
      <ul aria-label="Compared versions" className="contents">
        {compared.map((number, at) => (
          <li
            key={number}
            data-testid="compared-version"
            className="flex h-8 items-center gap-1.5 rounded-md border border-line bg-surface pr-1 pl-2.5 text-sm font-medium"
          >
            <LineMark line={lookOf(at)} />
            Version {number}
            <button
              type="button"
              aria-label={`Leave out version ${number}`}
              onClick={() => onChoose(compared.filter((one) => one !== number))}
              className="grid size-6 place-items-center rounded-sm text-ink-muted hover:bg-hover hover:text-ink"
            >
              <X className="size-3.5" aria-hidden="true" />
            </button>
          </li>
        ))}
      </ul>
      {others.length > 0 && compared.length < most ? (
        <PlainSelect label="Add a version" value="" onChange={(value) => onChoose([...compared, Number(value)])}>
          <option value="">Add a version…</option>
          {others.map((number) => (
            <option key={number} value={number}>
              Version {number}
            </option>
          ))}
        </PlainSelect>
      ) : null}
    </div>
  );
}
