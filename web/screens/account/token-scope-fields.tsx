import { useQuery } from "@tanstack/react-query";

import { accessToken, paging } from "@miranda/contract/limits.ts";
import { type AccessTokenBody, TokenScope } from "@miranda/contract/schemas/auth.ts";
import type { AppPage } from "@miranda/contract/schemas/deployments/deployments.ts";
import type { Project } from "@miranda/contract/schemas/projects.ts";

import { useAccount } from "../../api/account/session.ts";
import { call } from "../../api/http.ts";
import { SelectField } from "../../ui/form/field.tsx";
import { fieldText } from "../../ui/form/use-form.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";

const ends = [7, 30, 90, accessToken.expiryDaysMax];

/** What a new token may do, with what, and for how long. */
export function TokenScopeFields() {
  const { is_admin } = useAccount();
  // Administrators may write everywhere, but such a token may not.
  const path = is_admin === 1 ? "/api/v3/projects/?" : "/api/v3/projects/browse?include_own=true&writable=true&";
  const { data: projects } = useQuery({
    queryKey: ["token-limits", path],
    queryFn: () => call<Project[]>(`${path}limit=${paging.pageMax}`),
    refetchInterval: false,
  });
  const { data: apps } = useQuery({
    queryKey: ["token-limits", "deployments"],
    queryFn: () => call<AppPage>(`/api/v3/deployments?limit=${paging.pageMax}`),
    refetchInterval: false,
  });
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Permissions" name="scope" defaultValue="">
          <option value="">Everything</option>
          <option value="read">Read</option>
          <option value="run">Read and run</option>
          <option value="write">Read, run and edit</option>
        </SelectField>
        <SelectField label="Expires" name="expires_days" defaultValue="">
          <option value="">After {accessToken.idleDays} days without use</option>
          {ends.map((days) => (
            <option key={days} value={days}>
              In {days} days
            </option>
          ))}
        </SelectField>
      </div>
      <SelectField
        label="Access to"
        name="limited_to"
        defaultValue=""
        hint="A token of one project or deployment cannot see anything else. Only a token that may do everything can act for an administrator."
      >
        <option value="">Everywhere</option>
        {projects && projects.length > 0 ? (
          <optgroup label="One project">
            {projects.map(({ id, name }) => (
              <option key={id} value={`project_id ${id}`}>
                {oneLine(name)}
              </option>
            ))}
          </optgroup>
        ) : null}
        {apps && apps.apps.length > 0 ? (
          <optgroup label="One deployment">
            {apps.apps.map(({ id, title }) => (
              <option key={id} value={`deployment_id ${id}`}>
                {oneLine(title)}
              </option>
            ))}
          </optgroup>
        ) : null}
      </SelectField>
    </>
  );
}

export function readTokenScope(form: FormData): Partial<AccessTokenBody> {
  const scope = TokenScope.safeParse(fieldText(form, "scope"));
  const days = Number(fieldText(form, "expires_days"));
  const [kind, id] = fieldText(form, "limited_to").split(" ");
  return {
    ...(scope.success && { scope: scope.data }),
    ...(days > 0 && { expires_days: days }),
    ...(id !== undefined && (kind === "project_id" ? { project_id: id } : { deployment_id: id })),
  };
}
