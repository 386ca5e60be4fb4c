import { Suspense } from "react";

import { lazyPart } from "../../load-part.ts";
import { useToastsWanted } from "./toast.ts";

const ToastSurface = lazyPart(() => import("./toast-surface.tsx").then((module) => ({ default: module.ToastSurface })));

/** Where toasts appear. */
export function Toaster() {
  if (!useToastsWanted()) return null;
  return (
    <Suspense fallback={null}>
      <ToastSurface />
    </Suspense>
  );
}
