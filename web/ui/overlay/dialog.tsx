import { X } from "lucide-react";
import * as Primitive from "radix-ui/dialog";
import { type ComponentProps, type ReactNode, useRef } from "react";

import { classes } from "../classes.ts";

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons, the main one last. */
  footer?: ReactNode;
  wide?: boolean;
  /** The dialog contains only text, so its scrolling area must be focusable. */
  reading?: boolean;
  /** Neither Escape nor a click outside closes it: it came by itself, and text in it would be lost. */
  firm?: boolean;
}

export function Dialog(props: DialogProps) {
  const {
    open,
    onOpenChange,
    title,
    description,
    children,
    footer,
    wide = false,
    reading = false,
    firm = false,
  } = props;
  return (
    <Primitive.Root open={open} onOpenChange={onOpenChange}>
      <DialogPanel
        className={wide ? "max-w-2xl" : "max-w-md"}
        {...(description ? {} : { "aria-describedby": undefined })}
        {...(firm ? { onEscapeKeyDown: stay, onInteractOutside: stay } : {})}
      >
        <div className="px-5 pt-5 pr-12">
          <Primitive.Title className="line-clamp-3 text-lg font-semibold">{title}</Primitive.Title>
          {description ? (
            <Primitive.Description className="mt-1 text-ink-muted">{description}</Primitive.Description>
          ) : null}
        </div>
        {children ? (
          <div
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- only when nothing inside can be focused
            tabIndex={reading ? 0 : undefined}
            // Space at the bottom for the focus ring of the last field, which the scrolling area would clip.
            className="-mb-1 min-h-0 overflow-y-auto px-5 pt-4 pb-1 -outline-offset-2"
          >
            {children}
          </div>
        ) : null}
        <div className="flex flex-wrap justify-end gap-2 p-5 empty:pb-1">{footer}</div>
        <Primitive.Close
          aria-label="Close dialog"
          className="absolute top-3.5 right-3.5 grid size-7 place-items-center rounded-sm text-ink-faint transition-colors hover:bg-hover hover:text-ink"
        >
          <X className="size-4" aria-hidden="true" />
        </Primitive.Close>
      </DialogPanel>
    </Primitive.Root>
  );
}

const stay = (event: Event): void => event.preventDefault();

/** The bare panel over a scrim, for dialogs with their own layout. */
export function DialogPanel({ className, children, ...rest }: ComponentProps<typeof Primitive.Content>) {
  const opener = useRef<Element>(null);
  return (
    <Primitive.Portal>
      <Primitive.Overlay className="fixed inset-0 z-50 animate-fade bg-scrim" />
      <Primitive.Content
        onEscapeKeyDown={leaveToOpenList}
        {...rest}
        onOpenAutoFocus={(event) => {
          opener.current = document.activeElement;
          (rest.onOpenAutoFocus ?? focusFirstField)(event);
        }}
        onCloseAutoFocus={(event) => {
          rest.onCloseAutoFocus?.(event);
          if (!event.defaultPrevented) returnFocus(event, opener.current);
        }}
        className={classes(
          "fixed inset-x-4 top-[max(1rem,12dvh)] z-50 mx-auto flex max-h-[min(80dvh,calc(100dvh-2rem))] flex-col",
          "animate-appear overflow-hidden rounded-xl bg-raised shadow-high focus-visible:outline-none",
          className,
        )}
      >
        {children}
      </Primitive.Content>
    </Primitive.Portal>
  );
}

/**
 * Without a field, the panel gets the focus: a key pressed while a dialog opens unexpectedly must not press its button.
 */
function focusFirstField(event: Event): void {
  event.preventDefault();
  const panel = event.currentTarget;
  if (!(panel instanceof HTMLElement)) return;
  (panel.querySelector<HTMLElement>("input:not([type=hidden]), textarea, select") ?? panel).focus();
}

/** The focus returns to what opened the dialog, or to the page when that is gone, as after a deletion. */
function returnFocus(event: Event, opener: Element | null): void {
  event.preventDefault();
  const target = opener?.isConnected && opener !== document.body ? opener : document.querySelector("main");
  // An edge on the canvas is an SVG element.
  if (target instanceof HTMLElement || target instanceof SVGElement) target.focus({ preventScroll: true });
}

/** Escape first closes a list that is open inside the dialog, then the dialog. */
function leaveToOpenList(event: KeyboardEvent): void {
  if (document.activeElement?.closest("[data-takes-escape]")) event.preventDefault();
}
