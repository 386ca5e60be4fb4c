import type { ReactNode } from "react";

import { ObjectProvider } from "./object-provider.tsx";
import { ProcessorProvider } from "./processor/processor-provider.tsx";
import { RealtimeProvider } from "./realtime-provider.tsx";

interface WorkflowProvidersProps {
  projectId: string;
  graphId: string;
  children: ReactNode;
}

/**
 * A workflow and its processor for a part of a screen. With a connection of its own: a part that closes leaves the
 * workflow, and the screen around it would receive no more events.
 */
export function WorkflowProviders({ projectId, graphId, children }: WorkflowProvidersProps) {
  return (
    <RealtimeProvider>
      <ObjectProvider key={graphId} graphId={graphId}>
        <ProcessorProvider graphId={graphId} projectId={projectId}>
          {children}
        </ProcessorProvider>
      </ObjectProvider>
    </RealtimeProvider>
  );
}
