import { useGraph } from "../../providers/object-provider.tsx";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { classes } from "../../ui/classes.ts";

/** The nodes that failed in the last run, when there are several. A click shows a node and its exception. */
export function FailedNodes({ shown }: { shown: number }) {
  const { store, reveal } = useProcessor();
  const failed = useProcessorState((state) => state.failed);
  const nodes = useGraph((view) => view.resolved.content.nodes);
  if (failed.length < 2) return null;
  return (
    <ul aria-label="Failed nodes" className="flex max-h-20 flex-wrap items-center gap-1 overflow-y-auto px-3 pb-2">
      <li className="mr-1 text-sm text-ink-muted" aria-hidden="true">
        Failed:
      </li>
      {failed.map((node) => (
        <li key={node}>
          <button
            type="button"
            aria-pressed={node === shown}
            onClick={() => {
              store.showException(node);
              reveal.show(node);
            }}
            className={classes(
              "max-w-60 truncate rounded-md px-2 py-0.5 text-sm font-medium",
              node === shown ? "bg-danger-soft text-danger-text" : "text-accent-text hover:bg-hover",
            )}
          >
            {nodes[node]?.name ?? `Node ${node}`}
          </button>
        </li>
      ))}
    </ul>
  );
}
