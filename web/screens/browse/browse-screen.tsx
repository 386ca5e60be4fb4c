import { Compass } from "lucide-react";

import { NotBuilt } from "../../shell/not-built.tsx";
import { useTopBar } from "../../shell/top-bar-context.tsx";

export function BrowseScreen() {
  useTopBar({ back: "/designer/" });
  return (
    <NotBuilt icon={Compass} title="Browse projects" purpose="You will find and follow other people's projects here." />
  );
}
