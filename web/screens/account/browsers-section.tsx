import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Laptop, Smartphone } from "lucide-react";

import type { SignedInBrowser } from "@miranda/contract/schemas/auth.ts";

import { call } from "../../api/http.ts";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { SettingsSection } from "../../ui/form/settings-section.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { toast } from "../../ui/overlay/toast.ts";

const path = "/api/v3/auth/browsers";
const queryKey = ["signed-in-browsers"];

/** Where the person is signed in. */
export function BrowsersSection() {
  const client = useQueryClient();
  const {
    data: browsers,
    error,
    isPending,
  } = useQuery({
    queryKey,
    queryFn: () => call<SignedInBrowser[]>(path),
    refetchOnMount: "always",
  });
  const end = useMutation({
    mutationFn: (id: string | null) => call(id === null ? path : `${path}/${id}`, { method: "DELETE" }),
    onSuccess: (_answer, id) => toast.success(id === null ? "Signed out everywhere else." : "Signed out there."),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
  const others = browsers?.filter(({ current }) => !current) ?? [];

  return (
    <SettingsSection
      title="Signed-in browsers"
      description="Where you are signed in now. Sign out any browser you do not recognise, then change your password."
    >
      <div className="flex flex-col gap-4">
        {isPending ? <Spinner label="Loading signed-in browsers" showLabel /> : null}
        <FormAlert message={end.error?.message ?? (browsers ? null : error?.message)} />
        {browsers ? (
          <ul aria-label="Signed-in browsers" className="-my-1 flex flex-col divide-y divide-line">
            {browsers.map((browser) => (
              <BrowserRow
                key={browser.id}
                browser={browser}
                busy={end.isPending && end.variables === browser.id}
                onEnd={() => end.mutate(browser.id)}
              />
            ))}
          </ul>
        ) : null}
        {others.length > 0 ? (
          <div className="flex justify-end">
            <Button busy={end.isPending && end.variables === null} onClick={() => end.mutate(null)}>
              Sign out everywhere else
            </Button>
          </div>
        ) : null}
      </div>
    </SettingsSection>
  );
}

function BrowserRow({ browser, busy, onEnd }: { browser: SignedInBrowser; busy: boolean; onEnd: () => void }) {
  const Icon = /iPhone|Android/.test(browser.browser) ? Smartphone : Laptop;
  return (
    <li className="flex items-center gap-3 py-3" data-testid="signed-in-browser">
      <Icon className="size-5 shrink-0 text-ink-muted" strokeWidth={1.75} aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 items-center gap-2">
          <span className="truncate font-medium">{browser.browser}</span>
          {browser.current ? <Badge tone="success">This browser</Badge> : null}
        </div>
        <div className="text-sm text-ink-muted">
          {browser.address === "" ? null : `${browser.address} · `}
          Since <RelativeTime time={browser.since} /> · Last seen <RelativeTime time={browser.last_seen} />
        </div>
      </div>
      {browser.current ? null : (
        <Button size="sm" busy={busy} onClick={onEnd} aria-label={`Sign out ${browser.browser}`}>
          Sign out
        </Button>
      )}
    </li>
  );
}
