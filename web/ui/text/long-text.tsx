import { Fragment, type ReactNode, useMemo, useState } from "react";

import { startOf, drawableText, wordParts } from "./drawable-text.ts";

// Even the slowest text of this length is drawn without a noticeable delay.
const step = 20_000;

/** Text of any length and shape: shown part by part, with break points in long words. */
export function LongText({ text: written }: { text: string }): ReactNode {
  const text = useMemo(() => drawableText(written), [written]);
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

/** Elements, not invisible characters, which would end up in copied text. */
function withBreaks(text: string): ReactNode {
  const { parts } = wordParts(text);
  if (parts.length === 1) return text;
  return parts.map((part, at) => (
    // oxlint-disable-next-line react/no-array-index-key -- there is no other key
    <Fragment key={at}>
      {at > 0 ? <wbr /> : null}
      {part}
    </Fragment>
  ));
}
