import { ArrowDownToDot, ArrowUpFromDot, Pause, Play, StepForward } from "lucide-react";

import { useGraph } from "../../providers/object-provider.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { IconButton } from "../../ui/icon-button.tsx";

const steps = [
  { how: "step-over", icon: StepForward, label: "Step over (F10)" },
  { how: "step-in", icon: ArrowDownToDot, label: "Step in (F11)" },
  { how: "step-out", icon: ArrowUpFromDot, label: "Step out (Shift+F11)" },
] as const;

/** Continue and step while paused, pause while running. */
export function DebugControls({ compact = false }: { compact?: boolean }) {
  const { actions } = useProcessor();
  const state = useProcessorState(({ shown }) => shown);
  const isViewOnly = useGraph((view) => view.viewOnly);
  if (isViewOnly) return null;
  if (state === "RUNNING") {
    return compact ? null : (
      <IconButton icon={Pause} label="Pause (F6)" onClick={() => toastFailure(actions.pause())} className="size-7" />
    );
  }
  if (state !== "RESUMEREADY") return null;
  return (
    <>
      <IconButton icon={Play} label="Continue (F5)" onClick={() => toastFailure(actions.resume())} className="size-7" />
      {steps.map(({ how, icon, label }) => (
        <IconButton
          key={how}
          icon={icon}
          label={label}
          onClick={() => toastFailure(actions.step(how))}
          className="size-7"
        />
      ))}
    </>
  );
}
