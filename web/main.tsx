import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createBrowserRouter } from "react-router";
import { RouterProvider } from "react-router/dom";

import { prefetchGraph } from "./api/prefetch-graph.ts";
import { prefetchVersions } from "./api/prefetch-versions.ts";
import { createQueryClient } from "./api/query-client.ts";
import { sessionQuery } from "./api/account/session.ts";
import { logWarning } from "./log.ts";
import { routes } from "./routes.tsx";
import { FirefoxWarning } from "./shell/failures/firefox-warning.tsx";
import { GlobalErrorModal, watchUncaughtErrors } from "./shell/failures/global-errors.tsx";
import { followTheme } from "./shell/theme.ts";
import { Toaster } from "./ui/overlay/toaster.tsx";

watchUncaughtErrors();
followTheme();
start(document.getElementById("root"));

function start(root: HTMLElement | null): void {
  if (!root) {
    document.body.textContent = 'Miranda cannot start: this page has no element with the id "root".';
    return;
  }
  const queryClient = createQueryClient();
  // Load it in parallel with the first screen's code.
  void queryClient.prefetchQuery(sessionQuery);
  prefetchGraph(location.pathname, prefetchVersions(location));
  addEventListener("pageshow", (event) => {
    // The browser's back button can restore a page after its session has ended.
    if (event.persisted) void queryClient.refetchQueries(sessionQuery);
  });
  createRoot(root, { onRecoverableError: logRecovered }).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={createBrowserRouter(routes)} />
        <GlobalErrorModal />
        <FirefoxWarning />
        <Toaster />
      </QueryClientProvider>
    </StrictMode>,
  );
}

/** React rendered the page again and succeeded, so nothing failed for the person who looks at it. */
function logRecovered(error: unknown): void {
  logWarning("The page was rendered again after a failure.", error instanceof Error ? (error.cause ?? error) : error);
}
