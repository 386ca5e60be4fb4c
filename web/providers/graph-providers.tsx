import { Outlet } from "react-router";

/** What the graph editor, the code IDE and deployments share: the open graph's objects and its processor. */
export function GraphProviders() {
  return <Outlet />;
}
