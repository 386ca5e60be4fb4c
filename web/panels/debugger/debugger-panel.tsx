import { type ReactNode, useState } from "react";

import { useGraph } from "../../providers/object-provider.tsx";
import { useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { classes } from "../../ui/classes.ts";
import { CallStack } from "./call-stack.tsx";
import { DebugConsole } from "./debug-console.tsx";
import { Variables } from "./variables.tsx";
import { WatchList } from "./watch-list.tsx";

const panes = ["Variables", "Watch", "Call stack", "Console"] as const;
type Pane = (typeof panes)[number];

/** Everything about a pause. Fills its space: panes side by side where it is wide, otherwise one at a time. */
export function DebuggerPanel() {
  const [chosen, setChosen] = useState<Pane>("Variables");
  const isViewOnly = useGraph((view) => view.viewOnly);
  const note = useProcessorState(({ debugging }) => debugging.stop?.note);
  // Readers see where it paused, but not its variables.
  const offered = isViewOnly ? (["Call stack"] as const) : panes;
  const shown = isViewOnly ? "Call stack" : chosen;
  return (
    <div className="@container flex min-h-0 flex-1 flex-col border-t border-line">
      {note ? (
        <p
          role="alert"
          className="shrink-0 bg-warning-soft px-3 py-1.5 font-mono text-sm break-words text-warning-text"
        >
          {note}
        </p>
      ) : null}
      <nav
        aria-label="Debugger"
        className={classes("flex shrink-0 gap-1 border-b border-line px-2", !isViewOnly && "@3xl:hidden")}
      >
        {offered.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === shown}
            onClick={() => setChosen(name)}
            className={classes(
              "h-8 shrink-0 border-b-2 px-2 text-sm font-medium -outline-offset-2",
              name === shown ? "border-accent text-ink" : "border-transparent text-ink-muted hover:text-ink",
            )}
          >
            {name}
          </button>
        ))}
      </nav>
      <div
        className={classes(
          "grid min-h-0 flex-1 grid-cols-1 grid-rows-1",
          !isViewOnly &&
            "@3xl:grid-cols-[minmax(10rem,1fr)_minmax(12rem,1.4fr)_minmax(14rem,1.6fr)] @3xl:grid-rows-[minmax(0,1fr)_minmax(0,1fr)]",
        )}
      >
        {isViewOnly ? null : (
          <>
            <Area
              name="Variables"
              shown={shown}
              className="@3xl:col-start-2 @3xl:row-span-2 @3xl:row-start-1 @3xl:border-l"
            >
              <Variables />
            </Area>
            <Area name="Watch" shown={shown} className="@3xl:col-start-1 @3xl:row-start-2 @3xl:border-t">
              <WatchList />
            </Area>
            <Area
              name="Console"
              shown={shown}
              className="@3xl:col-start-3 @3xl:row-span-2 @3xl:row-start-1 @3xl:border-l"
            >
              <DebugConsole />
            </Area>
          </>
        )}
        <Area name="Call stack" shown={shown} className="@3xl:col-start-1 @3xl:row-start-1">
          <CallStack />
        </Area>
      </div>
    </div>
  );
}

interface AreaProps {
  name: Pane;
  shown: Pane;
  className: string;
  children: ReactNode;
}

function Area({ name, shown, className, children }: AreaProps) {
  return (
    <section
      aria-label={name}
      className={classes(
        "min-h-0 min-w-0 flex-col border-line @3xl:flex",
        name === shown ? "flex" : "hidden",
        className,
      )}
    >
      <h4 className="hidden shrink-0 px-3 pt-1.5 text-xs font-semibold text-ink-faint @3xl:block">{name}</h4>
      {children}
    </section>
  );
}
