import { type PointerEvent, useState } from "react";

import { getCredits, sumCredits, toNumber } from "@miranda/contract/billing/credits.ts";
import type { SpendingDays, SpendingGrouping } from "@miranda/contract/schemas/billing/spending.ts";

import { lookOf } from "../../panels/metrics/chart-lines.ts";
import { Money } from "../../panels/money.tsx";
import { useMoney } from "../../api/settings.ts";
import { useWidth } from "../../panels/metrics/use-width.ts";
import { dayText, partName } from "./billing-words.ts";

interface SpendChartProps {
  days: SpendingDays;
  by: SpendingGrouping;
  /** Shows only this part. */
  onChoose: (key: string, name: string) => void;
  /** Lists the parts that have no colour of their own. */
  onOthers: () => void;
}

const height = 200;
const below = 22;
const beside = 56;

const colourOf = (at: number, isRest: boolean): string => (isRest ? "var(--ink-faint)" : lookOf(at).colour);

/** What was spent on each day, as stacked bars. The list below has the amounts of the day that is pointed at. */
export function SpendChart({ days: { days, parts, total }, by, onChoose, onOthers }: SpendChartProps) {
  const [looking, setLooking] = useState<number | null>(null);
  const at = looking !== null && looking < days.length ? looking : null;
  const day = at === null ? undefined : days[at];
  const amount = day ? sumCredits(day.amounts.map(getCredits)) : getCredits(total);
  return (
    <div className="flex flex-col gap-4">
      <Bars days={days} isRest={parts.map((part) => part.isRest)} looking={at} onLook={setLooking} />
      <div aria-live="polite" data-testid="spent" className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <span className="font-medium">{day ? dayText(day.day) : "All days"}</span>
        <Money amount={amount} className="text-ink-muted" />
      </div>
      <ul className="grid gap-x-6 gap-y-1 sm:grid-cols-2" aria-label="Parts">
        {parts.map((part, place) => (
          <li key={part.isRest ? "rest" : part.key} className="flex min-w-0 items-center gap-2 text-sm">
            <span
              aria-hidden="true"
              className="size-3 shrink-0 rounded-xs"
              style={{ background: colourOf(place, part.isRest) }}
            />
            {!part.isRest && part.key === "" ? (
              <span className="min-w-0 truncate">{partName(by, part)}</span>
            ) : (
              <button
                type="button"
                className="min-w-0 truncate rounded-sm text-left underline-offset-2 hover:underline"
                onClick={() => (part.isRest ? onOthers() : onChoose(part.key, partName(by, part)))}
              >
                {partName(by, part)}
                {part.isRest ? "..." : null}
              </button>
            )}
            <Money
              amount={day ? (day.amounts[place] ?? "0") : part.amount}
              className="ml-auto shrink-0 text-ink-muted"
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface BarsProps {
  days: SpendingDays["days"];
  isRest: readonly boolean[];
  looking: number | null;
  onLook: (at: number | null) => void;
}

function Bars({ days, isRest, looking, onLook }: BarsProps) {
  const [ref, width] = useWidth();
  const money = useMoney();
  const sums = days.map(({ amounts }) => toNumber(sumCredits(amounts.map(getCredits))));
  const top = niceTop(Math.max(0, ...sums));
  const room = Math.max(1, width - beside);
  const step = room / Math.max(1, days.length);
  const y = (value: number): number => height - (value / top) * (height - 8);

  function lookAt(event: PointerEvent<HTMLElement>): void {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left - beside;
    const place = Math.floor(x / step);
    onLook(place >= 0 && place < days.length ? place : null);
  }

  return (
    <div
      ref={ref}
      onPointerMove={lookAt}
      onPointerDown={lookAt}
      onPointerLeave={() => onLook(null)}
      className="relative min-w-0 touch-pan-y rounded-sm outline-offset-4 outline-(--ring) has-focus-visible:outline-2"
    >
      {/* For the keyboard and screen readers: the list below the chart has the amounts. */}
      <input
        type="range"
        aria-label="Day"
        min={0}
        max={days.length - 1}
        value={looking ?? days.length - 1}
        aria-valuetext={looking === null ? "All days" : dayText(days[looking]?.day ?? "")}
        onChange={(event) => onLook(Number(event.target.value))}
        onBlur={() => onLook(null)}
        className="sr-only"
      />
      <svg width={width} height={height + below} aria-hidden="true" className="block overflow-visible">
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line x1={beside} x2={width} y1={y(top * part)} y2={y(top * part)} stroke="var(--line)" />
            <text x={beside - 6} y={y(top * part) + 4} textAnchor="end" className="fill-ink-faint text-xs tabular-nums">
              {money(axisDigits(top * part), "all")}
            </text>
          </g>
        ))}
        {days.map(({ day, amounts }, at) => (
          <Bar
            key={day}
            amounts={amounts.map((amount) => toNumber(getCredits(amount)))}
            isRest={isRest}
            x={beside + at * step}
            width={step}
            y={y}
            dim={looking !== null && looking !== at}
          />
        ))}
        {labelled(days.length, room).map((at) => (
          <text
            key={at}
            x={beside + (at + 0.5) * step}
            y={height + 16}
            textAnchor={at === 0 ? "start" : at === days.length - 1 ? "end" : "middle"}
            className="fill-ink-faint text-xs"
          >
            {dayText(days[at]?.day ?? "", true)}
          </text>
        ))}
      </svg>
    </div>
  );
}

interface BarProps {
  amounts: readonly number[];
  isRest: readonly boolean[];
  x: number;
  width: number;
  y: (value: number) => number;
  dim: boolean;
}

function Bar({ amounts, isRest, x, width, y, dim }: BarProps) {
  const gap = Math.min(4, width * 0.2);
  const stacked = amounts.map((amount, at) => {
    const bottom = y(amounts.slice(0, at).reduce((sum, one) => sum + one, 0));
    const top = y(amounts.slice(0, at + 1).reduce((sum, one) => sum + one, 0));
    return { at, top, size: amount > 0 ? bottom - top : 0 };
  });
  return (
    <g opacity={dim ? 0.45 : 1}>
      {stacked
        .filter(({ size }) => size > 0)
        .map(({ at, top, size }) => (
          <rect
            key={at}
            x={x + gap / 2}
            y={top}
            width={Math.max(1, width - gap)}
            height={size}
            fill={colourOf(at, isRest[at] === true)}
          />
        ))}
    </g>
  );
}

/** Rounds up to 1, 2 or 5 times a power of ten. */
function niceTop(most: number): number {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((factor) => factor * power >= most) ?? 10) * power;
}

function axisDigits(value: number): number {
  return value >= 1_000 ? value : Number(value.toPrecision(2));
}

/** The days that get a label: as many as fit. */
function labelled(count: number, room: number): number[] {
  const most = Math.max(2, Math.min(7, Math.floor(room / 90)));
  if (count <= 1) return count === 1 ? [0] : [];
  const places = Array.from({ length: Math.min(most, count) }, (_, at, all = Math.min(most, count)) =>
    Math.round((at * (count - 1)) / (all - 1)),
  );
  return [...new Set(places)];
}
