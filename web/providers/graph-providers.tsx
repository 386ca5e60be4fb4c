import { Outlet, useParams } from "react-router";

import { ObjectProvider } from "./object-provider.tsx";
import { PasswordPrompt } from "./password-prompt.tsx";
import { RealtimeProvider } from "./realtime-provider.tsx";

/** What the graph editor, the code IDE and deployments share: the connection and the open graph's objects. */
export function GraphProviders() {
  const { graphId = "" } = useParams();
  return (
    <RealtimeProvider>
      <ObjectProvider key={graphId} graphId={graphId}>
        <Outlet />
        <PasswordPrompt />
      </ObjectProvider>
    </RealtimeProvider>
  );
}
