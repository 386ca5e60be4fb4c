import { Check, Copy } from "lucide-react";
import { useEffect, useRef, useState } from "react";

import { Button, type ButtonLook } from "./button.tsx";

interface CopyButtonProps extends ButtonLook {
  text: string;
  /** How long the confirmation is shown. */
  confirmFor: number;
  onFailure: (cause: unknown) => void;
}

export function CopyButton({ text, confirmFor, onFailure, ...look }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const timer = useRef<number>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  async function copy() {
    try {
      await writeClipboard(text);
    } catch (cause) {
      onFailure(cause);
      return;
    }
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setCopied(false), confirmFor);
  }

  const Icon = copied ? Check : Copy;
  return (
    <Button {...look} onClick={copy}>
      <Icon className="size-3.5" aria-hidden="true" />
      <span aria-live="polite">{copied ? "Copied!" : "Copy"}</span>
    </Button>
  );
}

export async function writeClipboard(text: string): Promise<void> {
  if ("clipboard" in navigator) return navigator.clipboard.writeText(text);
  // Browsers hide the clipboard from pages that are served without TLS, as in many local installations.
  const area = document.createElement("textarea");
  area.value = text;
  const host = document.activeElement?.closest("[role=dialog]") ?? document.body;
  host.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("The browser refused to copy.");
}
