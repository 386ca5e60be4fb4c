import { Workflow } from "lucide-react";
import { useParams } from "react-router";

import { NotBuilt } from "../../shell/not-built.tsx";
import { useTopBar } from "../../shell/top-bar-context.tsx";

export function GraphEditorScreen() {
  const { projectId } = useParams();
  useTopBar({ back: `/designer/projects/${projectId}` });
  return <NotBuilt icon={Workflow} title="Workflow" purpose="You will build and run a workflow as a graph here." />;
}
