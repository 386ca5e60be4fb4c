import { Box } from "lucide-react";

import { NotBuilt } from "../../shell/not-built.tsx";

export function ModelsScreen() {
  return <NotBuilt icon={Box} title="Models" purpose="Trained models and their metrics will be listed here." />;
}
