import { FolderKanban } from "lucide-react";

import { NotBuilt } from "../../shell/not-built.tsx";

export function HomeScreen() {
  return (
    <NotBuilt
      icon={FolderKanban}
      title="Projects"
      purpose="Your projects and the projects you follow will be listed here."
    />
  );
}
