import { oneLine } from "../../ui/text/drawable-text.ts";
import type { ChartLine } from "./chart-lines.ts";
import { numberWords } from "./chart-words.ts";
import { LineMark } from "./line-mark.tsx";

interface LineChoiceProps {
  lines: readonly ChartLine[];
  shown: readonly ChartLine[];
  onChoose: (key: string, isShown: boolean) => void;
}

/** Which lines are drawn, each with its last value. */
export function LineChoice({ lines, shown, onChoose }: LineChoiceProps) {
  const keys = new Set(shown.map(({ key }) => key));
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">Metrics</legend>
      <ul className="flex max-h-24 flex-wrap gap-x-1 gap-y-0.5 overflow-y-auto">
        {lines.map((line) => (
          <li key={line.key} className="min-w-0">
            <label className="flex h-7 max-w-72 cursor-pointer items-center gap-1.5 rounded-md px-1.5 text-sm outline-offset-1 outline-(--ring) hover:bg-hover has-focus-visible:outline-2">
              <input
                type="checkbox"
                className="size-3.5 shrink-0 accent-(--accent) outline-none"
                checked={keys.has(line.key)}
                onChange={({ target }) => onChoose(line.key, target.checked)}
              />
              <LineMark line={line} />
              <span className="min-w-0 truncate">{oneLine(line.label)}</span>
              <span className="shrink-0 text-ink-muted tabular-nums">{lastWords(line)}</span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

function lastWords({ y }: ChartLine): string {
  const value = y.at(-1) ?? null;
  return value === null ? "no value" : numberWords(value);
}
