import { Code } from "lucide-react";
import { useParams } from "react-router";

import { NotBuilt } from "../../shell/not-built.tsx";
import { useTopBar } from "../../shell/top-bar-context.tsx";

export function CodeIdeScreen() {
  const { projectId, graphId } = useParams();
  useTopBar({ back: `/designer/projects/${projectId}/graphs/${graphId}` });
  return <NotBuilt icon={Code} title="Code" purpose="You will edit the code of nodes and read its history here." />;
}
