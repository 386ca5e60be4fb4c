import type { CSSProperties, FocusEventHandler, KeyboardEventHandler, ReactNode } from "react";
import { Link } from "react-router";

import type { LineageNode } from "@miranda/contract/schemas/models/lineage.ts";

interface LineageCardProps {
  node: LineageNode;
  /** Packages have no page of their own. */
  onPackages: (() => void) | undefined;
  className: string;
  children: ReactNode;
  style?: CSSProperties;
  onPoint?: (isPointed: boolean) => void;
  onKeyDown?: KeyboardEventHandler;
}

/** One thing of a lineage: a link to its page, a button for packages, or plain text when it is gone. */
export function LineageCard({ node, onPackages, className, children, style, onPoint, onKeyDown }: LineageCardProps) {
  const focus: FocusEventHandler = () => onPoint?.(true);
  const shared = {
    ...{ className, style, onKeyDown },
    "data-testid": `lineage-${node.kind}`,
    "data-lineage": node.id,
    onFocus: focus,
    onBlur: () => onPoint?.(false),
    onPointerEnter: () => onPoint?.(true),
    onPointerLeave: () => onPoint?.(false),
  };
  if (node.kind === "packages" && onPackages)
    return (
      <button type="button" {...shared} onClick={onPackages}>
        {children}
      </button>
    );
  if (node.address !== null)
    return (
      <Link to={node.address} {...shared}>
        {children}
      </Link>
    );
  // Still reached by the keyboard, which shows what is known about it.
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="note" tabIndex={0} {...shared}>
      {children}
    </div>
  );
}
