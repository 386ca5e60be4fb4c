import { useEffect } from "react";
import { Toaster as Primitive } from "sonner";

import { toastSurfaceReady } from "./toast.ts";

export function ToastSurface() {
  useEffect(toastSurfaceReady, []);
  return (
    <Primitive
      position="bottom-right"
      gap={8}
      // The library's own style sheet sets another font.
      style={{ fontFamily: "inherit" }}
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            "flex w-[calc(100vw-2rem)] items-center gap-2.5 rounded-lg bg-raised p-3 text-base text-ink shadow-high sm:w-88",
          description: "text-ink-muted text-sm",
          success: "**:data-icon:text-success-text",
          error: "**:data-icon:text-danger-text",
          actionButton: "ml-auto shrink-0 rounded-sm px-2 py-1 text-sm font-medium text-accent-text hover:bg-hover",
        },
      }}
    />
  );
}
