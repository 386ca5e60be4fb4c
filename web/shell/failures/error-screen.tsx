import { ChevronDown, Eraser, RotateCcw } from "lucide-react";
import { useEffect, useState } from "react";

import { messages } from "@miranda/contract/words/messages.ts";
import { errorScreen } from "../../limits.ts";

import { PartNotLoaded } from "../../load-part.ts";
import { logWarning } from "../../log.ts";
import { messageOf } from "../../message-of.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/layout/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { supportEmail } from "../product.ts";

interface ErrorScreenProps {
  error: unknown;
  /** React's component trace of the error. */
  trace?: string | undefined;
  onRetry: () => void;
}

export function ErrorScreen({ error, trace: given, onRetry }: ErrorScreenProps) {
  const [detailed, setDetailed] = useState(false);
  const trace = useNamedTrace(given, detailed);
  const isMissingPart = error instanceof PartNotLoaded;
  const message = messageOf(error);
  const details = trace ? `${message}\n${trace}` : message;

  return (
    <div className="mx-auto w-full max-w-xl px-4 py-16 sm:py-24" role="alert" data-testid="error-screen">
      <h1 className="text-2xl font-semibold">{messages.errorScreenTitle}</h1>
      <p className="mt-2 text-ink-muted text-pretty">
        {isMissingPart
          ? messages.partNotLoaded
          : "This is usually temporary and can be fixed by trying again or clearing the cache."}
      </p>
      <div className="mt-6 flex flex-wrap gap-2">
        {/* React remembers that a part failed to load: only a new page tries again. */}
        <Button variant="primary" onClick={isMissingPart ? () => location.reload() : onRetry}>
          <RotateCcw className="size-4" aria-hidden="true" />
          {isMissingPart ? "Reload page" : "Try Again"}
        </Button>
        <Button onClick={clearCache}>
          <Eraser className="size-4" aria-hidden="true" />
          Clear Cache
        </Button>
        <Button variant="ghost" aria-expanded={detailed} onClick={() => setDetailed(!detailed)}>
          {detailed ? "Hide Details" : "Show Details"}
          <ChevronDown className={detailed ? "size-4 rotate-180" : "size-4"} aria-hidden="true" />
        </Button>
      </div>
      {detailed ? (
        <Card className="mt-4 overflow-hidden" data-testid="error-details">
          <div className="flex items-center justify-between gap-3 border-b border-line py-1.5 pr-1.5 pl-3">
            <span className="text-sm font-medium">Details</span>
            <CopyButton
              size="sm"
              variant="ghost"
              text={details}
              confirmFor={errorScreen.copiedFor}
              onFailure={(cause) => logWarning("The error details could not be copied.", cause)}
            />
          </div>
          <div
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
            tabIndex={0}
            className="max-h-72 overflow-auto p-3 font-mono text-xs whitespace-pre-wrap -outline-offset-2"
          >
            <p className="text-danger-text">{message}</p>
            {trace ? <p className="mt-2 text-ink-muted">{trace.trim()}</p> : null}
          </div>
        </Card>
      ) : null}
      <p className="mt-8 border-t border-line pt-4 text-sm text-ink-muted">
        Still stuck? Look into the{" "}
        <a href="/docs" target="_blank" rel="noreferrer" className="font-medium text-accent-text hover:underline">
          handbook
        </a>
        , or write to{" "}
        <a href={`mailto:${supportEmail}`} className="font-medium text-accent-text hover:underline">
          {supportEmail}
        </a>
      </p>
    </div>
  );
}

/** In the built page the names in a trace are shortened. Their files and lines are looked up when somebody wants details. */
function useNamedTrace(trace: string | undefined, isWanted: boolean): string | undefined {
  const [named, setNamed] = useState<{ trace: string; text: string } | null>(null);
  useEffect(() => {
    if (trace === undefined || !isWanted) return;
    import("./named-trace.ts")
      .then(async (module) => setNamed({ trace, text: await module.namedTrace(trace) }))
      .catch((cause: unknown) => logWarning("The trace could not be made readable.", cause));
  }, [trace, isWanted]);
  return named !== null && named.trace === trace ? named.text : trace;
}

async function clearCache(): Promise<void> {
  try {
    // Missing on pages that are served without TLS.
    if ("caches" in window) await Promise.all((await caches.keys()).map((name) => caches.delete(name)));
    localStorage.clear();
    sessionStorage.clear();
  } catch (cause) {
    logWarning("Not everything could be cleared.", cause);
  }
  location.reload();
}
