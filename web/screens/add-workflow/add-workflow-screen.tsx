import { Workflow } from "lucide-react";
import { useParams } from "react-router";

import { NotBuilt } from "../../shell/not-built.tsx";
import { useTopBar } from "../../shell/top-bar-context.tsx";

export function AddWorkflowScreen() {
  const { projectId } = useParams();
  useTopBar({ back: `/designer/projects/${projectId}` });
  return <NotBuilt icon={Workflow} title="Add Workflow" purpose="You will create, clone or import a workflow here." />;
}
