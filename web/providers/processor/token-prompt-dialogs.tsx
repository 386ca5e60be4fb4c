import { useState, useSyncExternalStore } from "react";

import { GenerateTokenDialog, TokenGeneratedDialog } from "../../shell/token-dialogs.tsx";
import type { TokenPrompt } from "./token-prompt.ts";

/** Asks for the password when a command needs a token, and shows the token that was made. */
export function TokenPromptDialogs({ prompt }: { prompt: TokenPrompt }) {
  const isOpen = useSyncExternalStore(prompt.watch, prompt.isOpen);
  const [token, setToken] = useState<string | null>(null);
  return (
    <>
      <GenerateTokenDialog
        open={isOpen}
        onOpenChange={(open) => {
          if (!open) prompt.close();
        }}
        onGenerated={(made) => {
          setToken(made);
          prompt.generated();
        }}
        onFailed={prompt.failed}
      />
      <TokenGeneratedDialog token={token} onClose={() => setToken(null)} />
    </>
  );
}
