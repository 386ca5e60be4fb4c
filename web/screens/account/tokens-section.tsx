import { KeyRound } from "lucide-react";
import { useState } from "react";
import { toast } from "../../ui/overlay/toast.ts";

import { accessToken } from "@miranda/contract/limits.ts";
import type { AccessToken, TokenScope } from "@miranda/contract/schemas/auth.ts";

import { useAccessTokens } from "../../api/account/accounts.ts";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { GenerateTokenDialog, TokenGeneratedDialog } from "../../shell/account/token-dialogs.tsx";
import { Button } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { SettingsSection } from "../../ui/form/settings-section.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { RevokeTokenDialog } from "./revoke-token-dialog.tsx";
import { dayWords } from "../../format/day-words.ts";
import { readTokenScope, TokenScopeFields } from "./token-scope-fields.tsx";

const scopeWords: Record<TokenScope, string> = {
  all: "May do everything",
  read: "May read",
  run: "May read and run",
  write: "May read, run and write",
};

export function TokensSection() {
  const { data: tokens, error, isPending } = useAccessTokens();
  const [generating, setGenerating] = useState(false);
  const [generated, setGenerated] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<AccessToken | null>(null);

  return (
    <SettingsSection
      title="Access tokens"
      description={`For programs that use Miranda as you, and for running processors. Revoked after ${accessToken.idleDays} days without use.`}
    >
      <div className="flex flex-col gap-4">
        {isPending ? <Spinner label="Loading access tokens" showLabel /> : null}
        <FormAlert message={tokens ? null : error?.message} />
        {tokens?.length === 0 ? (
          <p className="flex items-center gap-2.5 text-ink-muted">
            <KeyRound className="size-4 shrink-0" aria-hidden="true" />
            You have no access tokens.
          </p>
        ) : null}
        {tokens && tokens.length > 0 ? (
          <ul aria-label="Access tokens" className="-my-1 flex flex-col divide-y divide-line">
            {tokens.map((token) => (
              <TokenRow key={token.id} token={token} onRevoke={() => setRevoking(token)} />
            ))}
          </ul>
        ) : null}
        <div className="flex justify-end">
          <Button variant="primary" onClick={() => setGenerating(true)}>
            Generate token
          </Button>
        </div>
      </div>
      <GenerateTokenDialog
        open={generating}
        onOpenChange={setGenerating}
        more={{ fields: <TokenScopeFields />, read: readTokenScope }}
        onGenerated={(token) => {
          setGenerating(false);
          setGenerated(token);
        }}
      />
      <TokenGeneratedDialog token={generated} onClose={() => setGenerated(null)} />
      <RevokeTokenDialog
        token={revoking}
        onClose={() => setRevoking(null)}
        onRevoked={() => {
          setRevoking(null);
          toast.success("Token revoked.");
        }}
      />
    </SettingsSection>
  );
}

function TokenRow({ token, onRevoke }: { token: AccessToken; onRevoke: () => void }) {
  return (
    <li className="flex items-center gap-3 py-3" data-testid="access-token">
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 items-baseline gap-2">
          <span className="truncate font-medium">{token.name || "Unnamed token"}</span>
          {token.automatic ? null : <code className="shrink-0 font-mono text-xs text-ink-faint">…{token.hint}</code>}
        </div>
        {token.automatic ? (
          <div className="text-sm text-ink-muted">
            Lets you run workflows. Using Miranda in a browser keeps it alive.
          </div>
        ) : (
          <div className="text-sm wrap-anywhere text-ink-muted">
            {scopeWords[token.scope]}
            {token.limited_to ? ` in the ${token.limited_to.kind} ${oneLine(token.limited_to.name)}` : null}
            {token.expires ? ` · Ends ${dayWords(token.expires)}` : null}
          </div>
        )}
        <div className="text-sm text-ink-muted">
          Created <RelativeTime time={token.time_created} /> · Last used <RelativeTime time={token.last_used} />
        </div>
      </div>
      <Button size="sm" onClick={onRevoke} aria-label={`Revoke ${token.name || "unnamed token"}`}>
        Revoke
      </Button>
    </li>
  );
}
