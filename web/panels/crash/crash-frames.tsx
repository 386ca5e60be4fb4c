import type { StackFrame } from "@miranda/contract/schemas/processors.ts";
import type { RunException } from "@miranda/contract/schemas/runs.ts";

import { jsonViewer } from "../../limits.ts";
import { JsonTree } from "../../ui/json-tree.tsx";
import { StackList } from "../debugger/stack-list.tsx";

interface CrashFramesProps {
  exception: RunException;
  isReader: boolean;
  frame: number;
  nameOf: (node: number) => string | undefined;
  onFrame: (frame: StackFrame, at: number) => void;
}

/** Stack and variables of an exception: side by side where there is room, else below each other. */
export function CrashFrames({ exception, isReader, frame, nameOf, onFrame }: CrashFramesProps) {
  const { frames } = exception;
  const stack = frames.map(({ node, line, function: funcname, file, cause }) => ({
    wob_key: node,
    line_number: line,
    funcname,
    file,
    cause,
  }));
  const shown = frames[frame];
  if (!shown)
    return (
      <p className="px-3 py-2 text-sm text-ink-muted">
        {isReader ? "Only editors of the workflow see the variables." : "No variables were kept for this exception."}
      </p>
    );
  return (
    <div className="@container flex min-h-0 flex-1 flex-col">
      <div className="grid min-h-0 flex-1 grid-cols-1 grid-rows-[auto_minmax(0,1fr)] @xl:grid-cols-[minmax(12rem,2fr)_3fr] @xl:grid-rows-[minmax(0,1fr)]">
        <section aria-label="Call stack" className="flex max-h-28 min-h-0 flex-col pb-1 @xl:max-h-none">
          <h4 className="shrink-0 px-3 pt-1.5 text-xs font-semibold text-ink-faint">Call stack</h4>
          <StackList stack={stack} chosen={frame} nameOf={nameOf} onChoose={onFrame} />
        </section>
        <section aria-label="Variables" className="flex min-h-0 flex-col border-line @max-xl:border-t @xl:border-l">
          <h4 className="shrink-0 px-3 pt-1.5 text-xs font-semibold text-ink-faint">Variables</h4>
          <div className="min-h-0 flex-1 overflow-auto px-3 py-1.5">
            <JsonTree key={frame} value={shown.locals} limits={jsonViewer} label="Local variables" />
          </div>
        </section>
      </div>
    </div>
  );
}
