import { Fragment, type ReactNode, useMemo, useState } from "react";

import { startOf, tamed, wordParts } from "./drawable-text.ts";

// What the slowest text of this length takes to draw is not noticed.
const step = 20_000;

/** Text of any length and shape: a part at a time, with places in long words where a line may end. */
export function LongText({ text: written }: { text: string }): ReactNode {
  const text = useMemo(() => tamed(written), [written]);
  const [most, setMost] = useState(step);
  const rest = Math.max(0, text.length - most);
  return (
    <>
      {withBreaks(startOf(text, most))}
      {rest > 0 ? (
        <>
          {" "}
          <button
            type="button"
            onClick={() => setMost(most + step)}
            className="relative rounded-sm bg-hover px-1.5 font-sans text-xs font-medium text-accent-text hover:underline"
          >
            … {rest.toLocaleString("en")} more characters. Show{" "}
            {rest > step ? `the next ${step.toLocaleString("en")}` : "them"}
          </button>
        </>
      ) : null}
    </>
  );
}

/** Not as invisible characters: whoever copies the text gets it as it was written. */
function withBreaks(text: string): ReactNode {
  const { parts } = wordParts(text);
  if (parts.length === 1) return text;
  return parts.map((part, at) => (
    // oxlint-disable-next-line react/no-array-index-key -- the parts of one text have nothing else to be known by
    <Fragment key={at}>
      {at > 0 ? <wbr /> : null}
      {part}
    </Fragment>
  ));
}
