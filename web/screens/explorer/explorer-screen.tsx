import { Compass } from "lucide-react";

import { NotBuilt } from "../../shell/failures/not-built.tsx";

export function ExplorerScreen() {
  return <NotBuilt icon={Compass} title="Explorer" purpose="Deployed workflows will be here for everybody to use." />;
}
