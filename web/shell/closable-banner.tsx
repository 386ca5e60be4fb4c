import { type LucideIcon, X } from "lucide-react";
import { type ReactNode, useLayoutEffect, useRef } from "react";

import { classes } from "../ui/classes.ts";
import { IconButton } from "../ui/icon-button.tsx";

interface ClosableBannerProps {
  label: string;
  testId?: string;
  icon: LucideIcon;
  tone: "info" | "warning";
  /** The CSS variable that gets its height. */
  heightName: `--${string}`;
  closeLabel: string;
  onClose: () => void;
  children: ReactNode;
}

const tones = { info: "bg-info-soft text-info-text", warning: "bg-warning-soft text-warning-text" } as const;

/** A message below the top bar that people can close. */
export function ClosableBanner(props: ClosableBannerProps) {
  const { label, testId, icon: Icon, tone, heightName, closeLabel, onClose, children } = props;
  const banner = useRef<HTMLElement>(null);

  // Screens that fill the window become that much smaller.
  useLayoutEffect(() => {
    const element = banner.current;
    if (!element) return undefined;
    const root = document.documentElement.style;
    const observer = new ResizeObserver(() => root.setProperty(heightName, `${element.offsetHeight}px`));
    observer.observe(element);
    return () => {
      observer.disconnect();
      root.removeProperty(heightName);
    };
  }, [heightName]);

  return (
    <section
      ref={banner}
      aria-label={label}
      data-testid={testId}
      className={classes(
        "flex items-start gap-3 border-b border-line py-1.5 pr-2 pl-3 text-sm sm:pr-3 sm:pl-4",
        tones[tone],
      )}
    >
      <Icon className="mt-1.5 size-4 shrink-0" aria-hidden="true" />
      <div className="min-w-0 flex-1 py-1">{children}</div>
      <IconButton icon={X} label={closeLabel} onClick={onClose} className="size-7" />
    </section>
  );
}
