import { useState } from "react";

import { classes } from "./classes.ts";
import { initials } from "./initials.ts";

const sizes = {
  sm: "size-7 text-2xs",
  md: "size-8 text-xs",
  lg: "size-16 text-xl",
} as const;

interface AvatarProps {
  /** The person's name: its initials are shown when there is no picture or it does not load. */
  name: string;
  src?: string | null | undefined;
  size?: keyof typeof sizes;
  /** A CSS colour for the border. */
  borderColour?: string;
  className?: string;
}

export function Avatar({ name, src, size = "md", borderColour, className }: AvatarProps) {
  const [failed, setFailed] = useState<string | null>(null);
  return (
    <span
      className={classes(
        "grid shrink-0 place-items-center overflow-hidden rounded-full bg-accent-soft font-semibold text-accent-text select-none",
        borderColour ? "border-2" : null,
        sizes[size],
        className,
      )}
      style={borderColour ? { borderColor: borderColour } : undefined}
    >
      {src && failed !== src ? (
        <img src={src} alt="" className="size-full object-cover" onError={() => setFailed(src)} />
      ) : (
        // Drawn by CSS, so that they are not part of a button's accessible name.
        <span aria-hidden="true" data-initials={initials(name)} className="before:content-[attr(data-initials)]" />
      )}
    </span>
  );
}
