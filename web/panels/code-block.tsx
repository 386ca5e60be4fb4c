import { errorScreen } from "../limits.ts";
import { messageOf } from "../message-of.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { classes } from "../ui/classes.ts";
import { toast } from "../ui/overlay/toast.ts";

interface CodeBlockProps {
  label: string;
  text: string;
  className?: string;
}

/** Text to copy. It scrolls, and can be reached by keyboard to do so. */
export function CodeBlock({ label, text, className }: CodeBlockProps) {
  return (
    <div className={classes("min-w-0 rounded-md border border-line bg-sunken", className)}>
      <div className="flex items-center justify-between gap-3 border-b border-line py-1.5 pr-1.5 pl-4">
        <span className="text-sm text-ink-muted" aria-hidden="true">
          {label}
        </span>
        <CopyButton
          size="sm"
          text={text}
          confirmFor={errorScreen.copiedFor}
          onFailure={(cause) => toast.error(messageOf(cause))}
        />
      </div>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls
        tabIndex={0}
        aria-label={label}
        className="max-h-96 overflow-auto p-4 font-mono text-sm leading-relaxed text-ink"
      >
        {text}
      </pre>
    </div>
  );
}
