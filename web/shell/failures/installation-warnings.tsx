import { TriangleAlert, X } from "lucide-react";
import { useLayoutEffect, useRef, useState } from "react";

import { useWarnings } from "../../api/settings.ts";
import { IconButton } from "../../ui/icon-button.tsx";

const dismissedKey = "dismissedWarnings";
const heightName = "--banner";

/** For administrators: what to change about the installation. Dismissing lasts until the tab is closed. */
export function InstallationWarnings() {
  const warnings = useWarnings();
  const [dismissed, setDismissed] = useState(readDismissed);
  const banner = useRef<HTMLElement>(null);
  const shown = warnings.filter(({ code }) => !dismissed.includes(code));
  const isShown = shown.length > 0;

  // Screens that fill the window become that much smaller.
  useLayoutEffect(() => {
    const element = banner.current;
    if (!isShown || !element) return undefined;
    const root = document.documentElement.style;
    const observer = new ResizeObserver(() => root.setProperty(heightName, `${element.offsetHeight}px`));
    observer.observe(element);
    return () => {
      observer.disconnect();
      root.removeProperty(heightName);
    };
  }, [isShown]);

  if (!isShown) return null;
  return (
    <section
      ref={banner}
      aria-label="Warnings about this installation"
      data-testid="installation-warnings"
      className="flex items-start gap-3 border-b border-line bg-warning-soft py-2 pr-2 pl-3 text-warning-text sm:pr-3 sm:pl-4"
    >
      <TriangleAlert className="mt-1 size-4 shrink-0" aria-hidden="true" />
      <div className="flex min-w-0 flex-1 flex-col gap-x-6 gap-y-0.5 py-0.5 text-sm lg:flex-row lg:justify-between">
        <ul className="flex min-w-0 flex-col gap-1 font-medium">
          {shown.map(({ code, message }) => (
            <li key={code} className="max-w-5xl wrap-anywhere">
              {message}
            </li>
          ))}
        </ul>
        <p className="shrink-0 text-ink-muted">Only administrators see this.</p>
      </div>
      <IconButton
        icon={X}
        label="Dismiss for now"
        onClick={() => {
          const codes = [...dismissed, ...shown.map(({ code }) => code)];
          writeDismissed(codes);
          setDismissed(codes);
        }}
        className="size-7"
      />
    </section>
  );
}

function readDismissed(): string[] {
  try {
    return (sessionStorage.getItem(dismissedKey) ?? "").split("\n");
  } catch {
    return [];
  }
}

function writeDismissed(codes: readonly string[]): void {
  try {
    sessionStorage.setItem(dismissedKey, codes.join("\n"));
  } catch {
    // Without storage the warning comes back with the next page load.
    return;
  }
}
