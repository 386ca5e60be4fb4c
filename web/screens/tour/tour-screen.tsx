import { useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";

import { openSample, sampleAddress } from "../../api/samples.ts";
import { messageOf } from "../../message-of.ts";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";

/** Opens the person's sample, makes it if there is none, and starts the tour in it. */
export function TourScreen() {
  const navigate = useNavigate();
  const [problem, setProblem] = useState<string | null>(null);
  const isAsked = useRef(false);

  async function open(): Promise<void> {
    setProblem(null);
    try {
      const address = sampleAddress(await openSample("waste-water"));
      await navigate(address, { replace: true, state: { tour: true } });
    } catch (cause) {
      setProblem(messageOf(cause));
    }
  }
  useEffect(() => {
    // Only once: React may run an effect twice, which would make two calls.
    if (!isAsked.current) void open();
    isAsked.current = true;
  });

  if (problem === null) return <LoadingArea label="Opening the sample" />;
  return (
    <div className="mx-auto w-full max-w-2xl px-4 py-10">
      <LoadFailure title="The sample could not be opened" message={problem} busy={false} onRetry={() => void open()} />
    </div>
  );
}
