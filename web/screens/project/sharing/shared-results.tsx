import { useShareCalls, useSharedResults } from "../../../api/deployments/shares.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Button } from "../../../ui/button.tsx";
import { toastFailure } from "../../../ui/overlay/toast-failure.ts";

/** Results that callers of the project's apps shared with everybody who has the address. Nothing when there are none. */
export function SharedResults({ projectId }: { projectId: string }) {
  const { data } = useSharedResults(projectId);
  const { end } = useShareCalls(projectId);
  if (!data || data.total === 0) return null;
  return (
    <section aria-label="Shared results" className="flex flex-col gap-2">
      <div className="flex items-center justify-between gap-3">
        <h3 className="text-sm font-medium">Shared results</h3>
        <Button size="sm" variant="ghost" onClick={() => toastFailure(end())}>
          End all
        </Button>
      </div>
      <p className="text-sm text-ink-muted">Everybody who has the address of a shared result sees it.</p>
      <ul className="flex flex-col divide-y divide-line rounded-md border border-line">
        {data.shares.map(({ id, app, by, time_called }) => (
          <li key={id} className="flex items-center gap-3 px-3 py-1.5 text-sm">
            <span dir="auto" className="min-w-0 flex-1 truncate">
              {app.title}
              <span className="text-ink-muted">
                , called by {by ?? "a visitor"} <RelativeTime time={time_called} />
              </span>
            </span>
            <Button size="sm" variant="ghost" aria-label={`End: ${app.title}`} onClick={() => toastFailure(end(id))}>
              End
            </Button>
          </li>
        ))}
      </ul>
      {data.total > data.shares.length ? (
        <p className="text-sm text-ink-muted">and {data.total - data.shares.length} older ones</p>
      ) : null}
    </section>
  );
}
