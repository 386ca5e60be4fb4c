import { useState } from "react";

import { ExceptionChoice } from "../debugger/exception-choice.tsx";
import { BreakpointList } from "./breakpoint-list.tsx";
import { CurrentSession } from "./current-session.tsx";
import { PastSession } from "./past-session.tsx";
import { RecentSessions } from "./recent-sessions.tsx";

/** The processor's side panel. Fills its space. */
export function ProcessorSide() {
  const [past, setPast] = useState<string>();
  if (past !== undefined) return <PastSession key={past} jobId={past} onBack={() => setPast(undefined)} />;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto p-3">
      <CurrentSession />
      <div className="flex flex-col gap-2">
        <BreakpointList />
        <ExceptionChoice />
      </div>
      <RecentSessions onSelect={setPast} />
    </div>
  );
}
