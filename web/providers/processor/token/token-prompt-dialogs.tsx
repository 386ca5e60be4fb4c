import { useQuery } from "@tanstack/react-query";
import { useState, useSyncExternalStore } from "react";

import { messages } from "@miranda/contract/words/messages.ts";

import { readTokenEnd } from "../../../api/account/session.ts";
import { GenerateTokenDialog, TokenGeneratedDialog } from "../../../shell/account/token-dialogs.tsx";
import type { TokenPrompt } from "./token-prompt.ts";

const reasons = { revoked: messages.tokenRevoked, idle: messages.tokenIdle };

/** Asks for the password when a command needs a token, and shows the token that was made. */
export function TokenPromptDialogs({ prompt }: { prompt: TokenPrompt }) {
  const isOpen = useSyncExternalStore(prompt.watch, prompt.isOpen);
  const [token, setToken] = useState<string | null>(null);
  // Fetched again each time: this page's data of the account is from before the refusal.
  const { data: end } = useQuery({ queryKey: ["token-end"], queryFn: readTokenEnd, enabled: isOpen, gcTime: 0 });
  return (
    <>
      <GenerateTokenDialog
        // First show a token that was just made: if it is refused too, two dialogs would cover each other.
        open={isOpen && token === null}
        onOpenChange={(open) => {
          if (!open) prompt.close();
        }}
        onGenerated={(made) => {
          setToken(made);
          prompt.generated();
        }}
        onFailed={prompt.failed}
        reason={end ? reasons[end] : undefined}
      />
      <TokenGeneratedDialog token={token} onClose={() => setToken(null)} />
    </>
  );
}
