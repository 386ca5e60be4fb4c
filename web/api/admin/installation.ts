import { useQuery, useQueryClient } from "@tanstack/react-query";

import type { AdminSettings } from "@miranda/contract/schemas/admin.ts";

import { call } from "../http.ts";

const key = ["admin", "settings"];
const path = "/api/v3/admin/settings";

/** Not refreshed by itself: a change is refused when somebody else changed the settings since they were shown. */
export function useInstallationSettings() {
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => call<AdminSettings>(path, { signal }),
    refetchInterval: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    refetchOnMount: "always",
    gcTime: 0,
  });
}

export type SettingsChange = Partial<
  Pick<
    AdminSettings,
    | "registration"
    | "registration_domains"
    | "default_visibility"
    | "payment"
    | "first_start"
    | "second_factor"
    | "announcement"
    | "announcement_until"
  >
> & {
  /** As typed. */
  trial_days?: string;
  trial_credits?: string;
  public_url?: string;
  limits?: Record<string, string>;
};

export function useChangeSettings({ version }: Pick<AdminSettings, "version">) {
  const client = useQueryClient();
  return async (change: SettingsChange): Promise<void> => {
    const answer = await call<AdminSettings>(path, { method: "PATCH", body: { json: { ...change, version } } });
    client.setQueryData(key, answer);
    await client.invalidateQueries({ queryKey: ["settings"] });
    await client.invalidateQueries({ queryKey: ["announcement"] });
  };
}
