import { lookOf } from "../../../panels/metrics/chart-lines.ts";
import { LineMark } from "../../../panels/metrics/line-mark.tsx";

interface VersionChoiceProps {
  /** All versions, newest first. */
  numbers: readonly number[];
  /** Those in the charts, in the order of their colours. */
  shown: readonly number[];
  most: number;
  onChoose: (shown: readonly number[]) => void;
}

/** Which versions are drawn, and how each looks. */
export function VersionChoice({ numbers, shown, most, onChoose }: VersionChoiceProps) {
  const isFull = shown.length >= most;
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">Versions in the charts</legend>
      <ul className="flex max-h-24 flex-wrap gap-x-1 gap-y-0.5 overflow-y-auto">
        {numbers.map((number) => {
          const at = shown.indexOf(number);
          return (
            <li key={number}>
              <label className="flex h-7 cursor-pointer items-center gap-1.5 rounded-md px-1.5 text-sm outline-offset-1 outline-(--ring) hover:bg-hover has-focus-visible:outline-2">
                <input
                  type="checkbox"
                  className="size-3.5 shrink-0 accent-(--accent) outline-none"
                  checked={at >= 0}
                  disabled={at < 0 && isFull}
                  onChange={() => onChoose(at >= 0 ? shown.filter((one) => one !== number) : [...shown, number])}
                />
                {at >= 0 ? <LineMark line={lookOf(at)} /> : null}
                Version {number}
              </label>
            </li>
          );
        })}
      </ul>
      {isFull ? <p className="text-xs text-ink-faint">At most {most} versions fit into a chart.</p> : null}
    </fieldset>
  );
}
