import { errorScreen } from "../../limits.ts";
import { messageOf } from "../../message-of.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { toast } from "../../ui/overlay/toast.ts";
import { pythonTokens } from "./python-tokens.ts";
import "../../ui/code-editor/code-editor.css";

const labels: Record<string, string> = {
  python: "Python",
  sh: "Shell",
  json: "JSON",
  toml: "TOML",
  text: "Text",
  javascript: "JavaScript",
};

/** An example with its own button to copy it. */
export function CodeSample({ language, text }: { language: string; text: string }) {
  const label = labels[language] ?? "Code";
  return (
    <div className="min-w-0 overflow-hidden rounded-md border border-line bg-surface" data-testid="code-sample">
      <div className="flex items-center justify-between gap-3 border-b border-line bg-sunken py-1 pr-1 pl-4">
        <span className="text-sm text-ink-muted" aria-hidden="true">
          {label}
        </span>
        <CopyButton
          size="sm"
          variant="ghost"
          text={text}
          confirmFor={errorScreen.copiedFor}
          onFailure={(cause) => toast.error(messageOf(cause))}
        />
      </div>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
        tabIndex={0}
        aria-label={`${label} example`}
        className="handbook-code overflow-x-auto p-4 font-mono text-sm leading-relaxed whitespace-pre text-ink -outline-offset-2"
      >
        {language === "python" ? <Coloured code={text} /> : text}
      </pre>
    </div>
  );
}

function Coloured({ code }: { code: string }) {
  return pythonTokens(code).map(({ kind, text }, at) =>
    kind === "plain" ? (
      text
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- the pieces of an example never change
      <span key={at} style={{ color: `var(--code-${kind})` }}>
        {text}
      </span>
    ),
  );
}
