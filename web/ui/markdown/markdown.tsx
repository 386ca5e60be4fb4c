import { Component, type ReactNode, Suspense } from "react";

import { lazyPart } from "../../load-part.ts";
import { classes } from "../classes.ts";
import { LongText } from "../text/long-text.tsx";

const load = () => import("./markdown-document.tsx");
const MarkdownDocument = lazyPart(() => load().then((module) => ({ default: module.MarkdownDocument })));

/** Loads the renderer ahead of the first text, so that both load in parallel. */
export function preloadMarkdown(): void {
  load().catch(() => undefined);
}

/** Renders GitHub-flavoured Markdown. HTML stays text, and addresses that could run code are removed. */
export function Markdown({ text, className }: { text: string; className?: string }) {
  const plain = (
    <div className="whitespace-pre-wrap">
      <LongText text={text} />
    </div>
  );
  // Invisible, because its Markdown marks would flash up until the renderer is loaded.
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

/** A text that makes the renderer fail must not take the page down. */
class PlainOnFailure extends Component<{ plain: ReactNode; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? this.props.plain : this.props.children;
  }
}
