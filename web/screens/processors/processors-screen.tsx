import { Cpu } from "lucide-react";
import { useParams } from "react-router";

import { NotBuilt } from "../../shell/not-built.tsx";
import { useTopBar } from "../../shell/top-bar-context.tsx";

export function ProcessorsScreen() {
  const { processorId } = useParams();
  useTopBar({ back: processorId === undefined ? undefined : "/designer/processors" });
  return (
    <NotBuilt
      icon={Cpu}
      title="Your processors"
      purpose="Your processor sessions and their logs will be listed here."
    />
  );
}
