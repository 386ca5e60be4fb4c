import { lazy, Suspense } from "react";

import { keepLoading, useToastsWanted } from "./toast.ts";

// Not `lazyPart`: this is outside every error boundary, so a failure would empty the page.
const ToastSurface = lazy(() =>
  keepLoading(() => import("./toast-surface.tsx").then((module) => ({ default: module.ToastSurface }))),
);

/** Where toasts appear. */
export function Toaster() {
  if (!useToastsWanted()) return null;
  return (
    <Suspense fallback={null}>
      <ToastSurface />
    </Suspense>
  );
}
