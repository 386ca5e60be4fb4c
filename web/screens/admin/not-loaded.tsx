import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";

interface NotLoadedProps {
  /** What failed: "The prices could not be loaded" */
  title: string;
  query: { error: Error | null; isFetching: boolean; refetch: () => Promise<unknown> };
}

/** In place of what a query has not loaded: a spinner, or why it failed. */
export function NotLoaded({ title, query: { error, isFetching, refetch } }: NotLoadedProps) {
  if (!error) return <LoadingArea />;
  return <LoadFailure title={title} message={error.message} busy={isFetching} onRetry={() => void refetch()} />;
}
