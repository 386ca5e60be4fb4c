import { FolderPlus } from "lucide-react";

import { NotBuilt } from "../../shell/not-built.tsx";
import { useTopBar } from "../../shell/top-bar-context.tsx";

export function NewProjectScreen() {
  useTopBar({ back: "/designer/" });
  return <NotBuilt icon={FolderPlus} title="New project" purpose="You will create a project here." />;
}
