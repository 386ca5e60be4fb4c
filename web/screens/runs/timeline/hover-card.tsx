import { durationText } from "@miranda/contract/words/duration-text.ts";

import { useMoneyShown } from "../../../api/billing/money-shown.ts";
import { useMoney } from "../../../api/settings.ts";
import { nodeLooks } from "../../../panels/runs/run-looks.ts";
import { LookIcon } from "../../../panels/runs/run-mark.tsx";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { momentWords } from "./time-range.ts";
import type { TimelineNode } from "./timeline-nodes.ts";

export interface Hovered {
  node: TimelineNode;
  /** The place of the pointer in the window. */
  x: number;
  y: number;
}

const width = 248;

/** The numbers of a node beside the pointer. The panel of the node has the same, for those without a pointer. */
export function HoverCard({ hovered }: { hovered: Hovered | null }) {
  const money = useMoney();
  const isShown = useMoneyShown();
  if (!hovered) return null;
  const { node, x, y } = hovered;
  const look = nodeLooks[node.state];
  const lines: [string, string][] = [
    ...(node.start === undefined ? [] : [["Began", momentWords(node.start, 0.01)] as [string, string]]),
    ...(node.waited > 0 ? [["Waited", durationText(node.waited)] as [string, string]] : []),
    ...(node.seconds > 0 ? [["Ran", durationText(node.seconds)] as [string, string]] : []),
    ...(node.fires > 1 ? [["Times", node.fires.toLocaleString("en")] as [string, string]] : []),
    ...(isShown && node.cost > 0 ? [["Cost", money(node.cost)] as [string, string]] : []),
  ];
  return (
    <div
      aria-hidden="true"
      data-testid="timeline-hover"
      className="pointer-events-none fixed z-40 rounded-lg bg-raised p-2.5 text-sm shadow-high"
      style={{
        width,
        left: Math.max(8, Math.min(x + 14, innerWidth - width - 8)),
        ...(y > innerHeight - 190 ? { bottom: innerHeight - y + 12 } : { top: y + 16 }),
      }}
    >
      <p className="flex items-center gap-2 font-medium">
        <LookIcon look={look} />
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {node.name}
        </span>
        <span className="text-xs font-normal text-ink-muted">{look.word}</span>
      </p>
      {lines.map(([label, value]) => (
        <p key={label} className="mt-0.5 flex justify-between gap-3 text-xs">
          <span className="text-ink-muted">{label}</span>
          <span className="tabular-nums">{value}</span>
        </p>
      ))}
      {node.reason === "" ? null : (
        <p dir="auto" className="mt-1.5 line-clamp-3 text-xs text-ink-muted">
          {oneLine(node.reason)}
        </p>
      )}
    </div>
  );
}
