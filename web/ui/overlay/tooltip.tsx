import * as Primitive from "radix-ui/tooltip";
import type { FocusEvent, ReactElement, ReactNode } from "react";

import { closeHint } from "./hint-escape.ts";

interface TooltipProps {
  text: ReactNode;
  side?: "top" | "right" | "bottom" | "left";
  /** Shown from the start, until the pointer leaves. */
  defaultOpen?: boolean;
  /** One focusable element. */
  children: ReactElement;
}

export function Tooltip({ text, side = "top", defaultOpen = false, children }: TooltipProps) {
  return (
    <Primitive.Provider delayDuration={300} skipDelayDuration={200}>
      <Primitive.Root defaultOpen={defaultOpen}>
        <Primitive.Trigger asChild onFocus={ignoreReturnedFocus}>
          {children}
        </Primitive.Trigger>
        <Primitive.Portal>
          <Primitive.Content
            side={side}
            sideOffset={6}
            collisionPadding={8}
            onEscapeKeyDown={closeHint}
            className="z-60 max-w-64 rounded-sm bg-ink px-2 py-1 text-xs text-canvas shadow-high not-data-[state=closed]:animate-fade"
          >
            {text}
          </Primitive.Content>
        </Primitive.Portal>
      </Primitive.Root>
    </Primitive.Provider>
  );
}

/** A dialog closed by pointer returns the focus to its button; a tooltip there would be in the way. */
function ignoreReturnedFocus(event: FocusEvent): void {
  if (!event.currentTarget.matches(":focus-visible")) event.preventDefault();
}
