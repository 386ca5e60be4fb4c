import { Rocket } from "lucide-react";
import { useParams } from "react-router";

import { NotBuilt } from "../../shell/failures/not-built.tsx";
import { useTopBar } from "../../shell/top-bar-context.tsx";

export function DeploymentScreen() {
  const { projectId } = useParams();
  useTopBar({ back: `/designer/projects/${projectId}` });
  return <NotBuilt icon={Rocket} title="Deployment" purpose="A deployed workflow will be shown and run here." />;
}
