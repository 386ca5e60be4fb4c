import { errorScreen } from "../../limits.ts";
import { logWarning } from "../../log.ts";
import { CopyButton } from "../../ui/copy-button.tsx";

interface CopiedTextProps {
  text: string;
  /** What it is, for screen readers. */
  label: string;
}

/** An address or a secret, with a button that copies it. */
export function CopiedText({ text, label }: CopiedTextProps) {
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset would have a border and a legend
      role="group"
      aria-label={label}
      className="flex w-full min-w-0 items-center gap-2 rounded-md border border-line bg-sunken py-1.5 pr-1.5 pl-3"
    >
      <code className="min-w-0 flex-1 text-left font-mono text-sm break-all select-all">{text}</code>
      <CopyButton
        size="sm"
        text={text}
        confirmFor={errorScreen.copiedFor}
        onFailure={(cause) => logWarning("The text could not be copied.", cause)}
      />
    </div>
  );
}
