import { ArrowRight, FlaskConical, X } from "lucide-react";
import { useState } from "react";
import { Link, useNavigate } from "react-router";

import { openSample, sampleAddress, useSampleOpened } from "../../api/samples.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { SpinnerIcon } from "../../ui/layout/spinner.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";

interface StartHereProps {
  sample: { project_id: string; graph_id: string };
}

/** For people who have just registered: a sample that runs at once, and one that installs packages. */
export function StartHere({ sample }: StartHereProps) {
  const markOpened = useSampleOpened();
  return (
    <section
      aria-label="Start here"
      className="relative grid overflow-hidden rounded-xl border border-line bg-surface shadow-low md:grid-cols-2 lg:col-span-2"
    >
      <div className="flex flex-col items-start justify-center gap-3 p-6 sm:p-8">
        <h2 className="text-2xl font-semibold text-balance">Your first model is ready to train</h2>
        <p className="max-w-md text-ink-muted text-pretty">
          This workflow is yours. It reads a storm basin, learns how it fills in the rain, and predicts its level six
          hours ahead. Open it and press Run. Only you can see it.
        </p>
        <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-3">
          <Link to={sampleAddress(sample)} className={buttonClasses({ variant: "primary", size: "lg" })}>
            Open Waste Water Management
            <ArrowRight className="-mr-0.5 size-4" aria-hidden="true" />
          </Link>
          <IrisLink />
        </div>
      </div>
      <Link
        to={sampleAddress(sample)}
        tabIndex={-1}
        aria-hidden="true"
        className="relative grid min-h-52 place-items-center border-line dot-grid p-6 max-md:border-t md:border-l"
      >
        <img
          src={`/api/v3/library/pictures/${encodeURIComponent("blueprint:basin-level")}`}
          alt=""
          className="w-full max-w-md"
        />
      </Link>
      <IconButton
        icon={X}
        label="Hide"
        className="absolute top-2 right-2 bg-surface"
        onClick={() => toastFailure(markOpened())}
      />
    </section>
  );
}

/** Makes the other sample when the person asks for it. */
function IrisLink() {
  const navigate = useNavigate();
  const [isBusy, setIsBusy] = useState(false);
  async function open(): Promise<void> {
    setIsBusy(true);
    try {
      await navigate(sampleAddress(await openSample("iris")));
    } finally {
      setIsBusy(false);
    }
  }
  return (
    <button
      type="button"
      disabled={isBusy}
      onClick={() => toastFailure(open())}
      className="flex items-center gap-2 rounded-md text-left text-sm text-ink-muted hover:text-ink"
    >
      {isBusy ? <SpinnerIcon /> : <FlaskConical className="size-4 shrink-0 text-accent-text" aria-hidden="true" />}
      <span>
        Or <span className="font-medium text-accent-text">iris with scikit-learn</span>, which installs packages
      </span>
    </button>
  );
}
