import { useState } from "react";

import type { RunException } from "@miranda/contract/schemas/runs.ts";

import { firstOwnFrame } from "../../providers/debugger/crash-store.ts";
import { CrashFrames } from "./crash-frames.tsx";

interface CrashViewProps {
  exception: RunException;
  /** Whether the person may only read: then there are no variables. */
  isReader: boolean;
  nameOf: (node: number) => string | undefined;
}

/** The frames of an exception with their variables: the stack at the left, the variables of the chosen frame beside it. */
export function CrashView({ exception, isReader, nameOf }: CrashViewProps) {
  const [frame, setFrame] = useState(() => firstOwnFrame(exception));
  return (
    <CrashFrames
      exception={exception}
      isReader={isReader}
      frame={frame}
      nameOf={nameOf}
      onFrame={(_, at) => setFrame(at)}
    />
  );
}
