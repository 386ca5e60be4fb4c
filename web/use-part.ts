import { useEffect, useState } from "react";

import { loadPart } from "./load-part.ts";

/**
 * A part of the client that loads when it is wanted. Unlike `lazyPart` it never throws: where nothing stands around it to
 * show a failure, the page would be gone.
 */
export function usePart<Part>(load: () => Promise<Part>, isWanted: boolean): Part | "failed" | undefined {
  const [found, setFound] = useState<{ part: Part | "failed" }>();
  const isDue = isWanted && !found;
  useEffect(() => {
    if (!isDue) return;
    loadPart(load).then(
      (part) => setFound({ part }),
      () => setFound({ part: "failed" }),
    );
  }, [load, isDue]);
  return found?.part;
}
