import { Outlet, useParams } from "react-router";

import { ChangeNotices } from "./graph/change-notices.tsx";
import { CommentsProvider } from "./comments/comments-provider.tsx";
import { FollowProvider } from "./follow/follow-provider.tsx";
import { ObjectProvider } from "./object-provider.tsx";
import { PasswordPrompt } from "./password-prompt.tsx";
import { ProcessorProvider } from "./processor/processor-provider.tsx";
import { RealtimeProvider } from "./realtime-provider.tsx";

/** What the graph editor, the code IDE and deployments share: the connection, the open graph's objects and its processor. */
export function GraphProviders() {
  const { projectId = "", graphId = "" } = useParams();
  return (
    <RealtimeProvider>
      <ObjectProvider key={graphId} graphId={graphId}>
        <ProcessorProvider graphId={graphId} projectId={projectId}>
          <CommentsProvider key={graphId} graphId={graphId}>
            <FollowProvider>
              <Outlet />
            </FollowProvider>
          </CommentsProvider>
        </ProcessorProvider>
        <PasswordPrompt graphId={graphId} />
        <ChangeNotices projectId={projectId} graphId={graphId} />
      </ObjectProvider>
    </RealtimeProvider>
  );
}
