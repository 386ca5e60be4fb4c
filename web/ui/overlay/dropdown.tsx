import * as Primitive from "radix-ui/dropdown-menu";
import { type ComponentProps, type ReactElement, type ReactNode, useRef } from "react";

import { classes } from "../classes.ts";

interface DropdownProps {
  /** The button that opens the menu. */
  trigger: ReactElement;
  align?: "start" | "end";
  children: ReactNode;
}

export function Dropdown({ trigger, align = "end", children }: DropdownProps) {
  const opener = useRef<HTMLButtonElement>(null);
  return (
    // Not modal: a modal menu would hide everything else from screen readers, including focused elements.
    <Primitive.Root modal={false}>
      <Primitive.Trigger ref={opener} asChild>
        {trigger}
      </Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          // The focus that a closing menu gives back arrives late, and would close a menu that was opened again.
          onFocusOutside={(event) => {
            if (event.target === opener.current) event.preventDefault();
          }}
          // No closing animation: removal would wait for it, even while the opening animation has only started.
          className="z-50 min-w-44 rounded-lg bg-raised p-1 shadow-high data-[state=open]:animate-appear"
        >
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

const item =
  "flex h-8 cursor-default items-center gap-2 rounded-sm px-2 text-base -outline-offset-2 select-none " +
  "data-disabled:opacity-50 data-highlighted:bg-hover";

interface DropdownItemProps extends ComponentProps<typeof Primitive.Item> {
  danger?: boolean;
}

export function DropdownItem({ danger = false, className, ...rest }: DropdownItemProps) {
  return <Primitive.Item {...rest} className={classes(item, danger ? "text-danger-text" : null, className)} />;
}

export function DropdownCheckbox({ className, children, ...rest }: ComponentProps<typeof Primitive.CheckboxItem>) {
  return (
    <Primitive.CheckboxItem {...rest} className={classes(item, "pl-7", className)}>
      <Primitive.ItemIndicator className="absolute left-3">✓</Primitive.ItemIndicator>
      {children}
    </Primitive.CheckboxItem>
  );
}

export function DropdownSeparator() {
  return <Primitive.Separator className="-mx-1 my-1 h-px bg-line" />;
}
