import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";

import { buttonClasses } from "./button.tsx";
import { classes } from "./classes.ts";
import { Tooltip } from "./overlay/tooltip.tsx";

interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  icon: LucideIcon;
  /** The tooltip and the accessible name. */
  label: string;
  danger?: boolean;
}

export function IconButton({ icon: Icon, label, danger = false, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        className={buttonClasses(
          { variant: "ghost", size: "icon" },
          classes(danger ? "hover:bg-danger-soft hover:text-danger-text" : null, className),
        )}
      >
        <Icon className="size-4" aria-hidden="true" />
      </button>
    </Tooltip>
  );
}
