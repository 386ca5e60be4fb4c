import { Component, lazy, type ReactNode, Suspense } from "react";

import { classes } from "../classes.ts";
import { LongText } from "../text/long-text.tsx";

const load = () => import("./markdown-document.tsx");
const MarkdownDocument = lazy(() => load().then((module) => ({ default: module.MarkdownDocument })));

/** Fetches the renderer ahead of the first text, so that the two do not come one after the other. */
export function preloadMarkdown(): void {
  load().catch(() => undefined);
}

/** Text in GitHub's dialect. HTML in it stays text, and addresses that could run code are dropped. */
export function Markdown({ text, className }: { text: string; className?: string }) {
  const plain = (
    <div className="whitespace-pre-wrap">
      <LongText text={text} />
    </div>
  );
  // Its own marks would flash up for the moment that the renderer takes to load.
  const placeholder = <div className="invisible">{plain}</div>;
  return (
    <div dir="auto" className={classes("markdown", className)}>
      <PlainOnFailure key={text} plain={plain}>
        <Suspense fallback={placeholder}>
          <MarkdownDocument text={text} />
        </Suspense>
      </PlainOnFailure>
    </div>
  );
}

/** A text that defeats the renderer must not take the page with it. */
class PlainOnFailure extends Component<{ plain: ReactNode; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? this.props.plain : this.props.children;
  }
}
