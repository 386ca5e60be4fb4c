import { CloudOff } from "lucide-react";

import { Button } from "../button.tsx";

interface LoadFailureProps {
  /** What could not be loaded. */
  title: string;
  message: string;
  onRetry: () => void;
  busy?: boolean;
}

export function LoadFailure({ title, message, onRetry, busy = false }: LoadFailureProps) {
  return (
    <div
      role="alert"
      className="flex flex-col items-center rounded-xl border border-line bg-surface px-6 py-12 text-center"
    >
      <CloudOff className="size-6 text-ink-faint" strokeWidth={1.75} aria-hidden="true" />
      <p className="mt-3 font-semibold">{title}</p>
      <p className="mt-1 max-w-md text-danger-text">{message}</p>
      <Button className="mt-5" busy={busy} onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}
