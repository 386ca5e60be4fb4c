import { type MouseEvent } from "react";
import { useLocation, useNavigate } from "react-router";

import { productName } from "./product.ts";
import { isAtSectionRoot, sectionOf, sectionRoot } from "./section.ts";

/** The letter M, drawn as a small workflow. */
export function BrandMark({ className = "size-6" }: { className?: string }) {
  return (
    <svg viewBox="0 0 24 24" fill="none" aria-hidden="true" className={className}>
      <rect width="24" height="24" rx="6.5" className="fill-accent" />
      <g className="fill-accent-ink stroke-accent-ink">
        <path
          d="M6 16.5 8.6 8.4c.25-.8 1.35-.85 1.7-.1L12 12.2l1.7-3.9c.35-.75 1.45-.7 1.7.1L18 16.5"
          fill="none"
          strokeWidth="1.7"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
        <circle cx="6" cy="16.6" r="1.9" stroke="none" />
        <circle cx="18" cy="16.6" r="1.9" stroke="none" />
      </g>
    </svg>
  );
}

/** Links to the root of the section; in-app only when already there. */
export function ProductLink() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const root = sectionRoot(sectionOf(pathname));

  function stayInApp(event: MouseEvent) {
    const isPlainClick = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlainClick || !isAtSectionRoot(pathname)) return;
    event.preventDefault();
    void navigate(root);
  }

  return (
    <a href={root} onClick={stayInApp} className="flex shrink-0 items-center gap-2 rounded-sm font-semibold">
      <BrandMark />
      <span className="max-sm:sr-only">{productName}</span>
    </a>
  );
}
