import { lazy, Suspense } from "react";

import { useToastsWanted } from "./toast.ts";

const ToastSurface = lazy(() => import("./toast-surface.tsx").then((module) => ({ default: module.ToastSurface })));

/** Where toasts appear. */
export function Toaster() {
  if (!useToastsWanted()) return null;
  return (
    <Suspense fallback={null}>
      <ToastSurface />
    </Suspense>
  );
}
