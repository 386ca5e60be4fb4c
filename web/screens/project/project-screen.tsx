import { FolderOpen } from "lucide-react";

import { NotBuilt } from "../../shell/not-built.tsx";
import { useTopBar } from "../../shell/top-bar-context.tsx";

export function ProjectScreen() {
  useTopBar({ back: "/designer/" });
  return <NotBuilt icon={FolderOpen} title="Project" purpose="A project's description and workflows will be here." />;
}
