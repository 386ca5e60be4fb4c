import { CircleX, PencilRuler, Wrench } from "lucide-react";
import { Link } from "react-router";

import type { RunDetails } from "@miranda/contract/schemas/runs.ts";

import { callAddress } from "../../../api/deployments/calls.ts";
import { fixAddress } from "../../../api/runs/crashes.ts";
import { runAddress } from "../../../api/runs/runs.ts";
import { useOpenRun } from "../../../panels/runs/open-run.tsx";
import { oneLine } from "../../../ui/text/drawable-text.ts";

/** The last line of a traceback names the error. */
function errorOf(traceback: string): string {
  return oneLine(traceback.trimEnd().split("\n").at(-1) ?? "");
}

/** Why the run did not end well, with links to the node and to its code. */
export function FailureLine({ run }: { run: RunDetails }) {
  const { mayWrite } = useOpenRun();
  const { failed_node: node, reason, state } = run;
  const exception = run.exceptions.find(({ wob_key }) => wob_key === node?.wob_key) ?? run.exceptions[0];
  const words = exception ? errorOf(exception.traceback) : reason;
  if (state === "done" || (words === "" && !node)) return null;
  return (
    <p
      data-testid="run-failure"
      className="mt-2 flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 rounded-md bg-danger-soft px-3 py-1.5 text-sm text-danger-text"
    >
      <CircleX className="size-4 shrink-0" aria-hidden="true" />
      {node ? (
        <Link
          to={`${runAddress(run.id)}?node=${node.wob_key}`}
          dir="auto"
          className="max-w-1/2 shrink-0 truncate font-medium underline underline-offset-2"
        >
          {node.name}
        </Link>
      ) : null}
      <span dir="auto" className="min-w-0 flex-1 truncate" title={words}>
        {words}
      </span>
      {mayWrite && run.source !== "person" ? (
        <Link
          to={callAddress(run.graph.project_id, run.graph.id, run.id)}
          className="flex items-center gap-1.5 font-medium underline-offset-2 hover:underline max-sm:basis-full max-sm:pl-6"
        >
          <PencilRuler className="size-3.5" aria-hidden="true" />
          Open in Designer
        </Link>
      ) : null}
      {mayWrite && exception && exception.wob_key !== null ? (
        <Link
          to={fixAddress(run.graph, run.id, exception)}
          className="flex items-center gap-1.5 font-medium underline-offset-2 hover:underline max-sm:basis-full max-sm:pl-6"
        >
          <Wrench className="size-3.5" aria-hidden="true" />
          Fix and resume
        </Link>
      ) : null}
    </p>
  );
}
