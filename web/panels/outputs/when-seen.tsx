import { type ReactNode, useEffect, useRef, useState } from "react";

/** Draws its children when they are near the screen: a node may have a hundred large outputs. */
export function WhenSeen({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (isSeen || !place.current) return undefined;
    const observer = new IntersectionObserver((entries) => setSeen(entries.some((entry) => entry.isIntersecting)), {
      rootMargin: "300px",
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [isSeen]);
  return (
    <div ref={place} className={isSeen ? "min-w-0" : "h-40"}>
      {isSeen ? children : null}
    </div>
  );
}
