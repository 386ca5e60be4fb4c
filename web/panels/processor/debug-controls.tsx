import { ArrowDownToDot, ArrowUpFromDot, Pause, Play, StepForward } from "lucide-react";
import { useEffect } from "react";

import { attempt, useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { IconButton } from "../../ui/icon-button.tsx";

/** Continue and step while paused, pause while running. */
export function DebugControls({ compact = false }: { compact?: boolean }) {
  const { actions } = useProcessor();
  const state = useProcessorState(({ shown }) => shown);
  const size = compact ? "size-7" : "";
  if (state === "RUNNING") {
    return compact ? null : (
      <IconButton icon={Pause} label="Pause (F6)" onClick={() => attempt(actions.pause())} className={size} />
    );
  }
  if (state !== "RESUMEREADY") return null;
  return (
    <>
      <IconButton icon={Play} label="Continue (F5)" onClick={() => attempt(actions.resume())} className={size} />
      <IconButton
        icon={StepForward}
        label="Step over (F10)"
        onClick={() => attempt(actions.step("step-over"))}
        className={size}
      />
      <IconButton
        icon={ArrowDownToDot}
        label="Step in (F11)"
        onClick={() => attempt(actions.step("step-in"))}
        className={size}
      />
      <IconButton
        icon={ArrowUpFromDot}
        label="Step out (Shift+F11)"
        onClick={() => attempt(actions.step("step-out"))}
        className={size}
      />
    </>
  );
}

/** The keys of VS Code. Mount it once on a screen that shows a processor. */
export function useDebugKeys(): void {
  const { store, actions } = useProcessor();
  useEffect(() => {
    function press(event: KeyboardEvent): void {
      const paused = store.get().shown === "RESUMEREADY";
      const action = actionOf(event, paused);
      if (!action) return;
      event.preventDefault();
      attempt(action());
    }
    function actionOf({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent, paused: boolean) {
      if (ctrlKey || metaKey || altKey) return undefined;
      if (key === "F5") return shiftKey ? actions.stop : paused ? actions.resume : () => actions.start();
      if (key === "F6" && store.get().shown === "RUNNING") return actions.pause;
      if (!paused) return undefined;
      if (key === "F10") return () => actions.step("step-over");
      if (key === "F11") return () => actions.step(shiftKey ? "step-out" : "step-in");
      return undefined;
    }
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [store, actions]);
}
