import { ListFilter } from "lucide-react";

import { auditWords } from "@miranda/contract/schemas/audit.ts";

import type { AuditFilters, AuditScope } from "../../api/audit/audit-events.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/form/field.tsx";
import { PlainSelect } from "../../ui/form/plain-select.tsx";
import { SearchField } from "../../ui/form/search-field.tsx";

const groupWords: Record<string, string> = {
  account: "Accounts",
  sign_in: "Sign-ins",
  sign_out: "Sign-outs",
  password: "Passwords",
  identity: "Sign-in providers",
  email: "E-mail addresses",
  second_factor: "Second factors",
  token: "Access tokens",
  secret: "Secrets",
  project: "Projects",
  member: "Members",
  invitation: "Invitations",
  team: "Teams",
  template: "Templates",
  version: "Versions",
  model: "Models",
  deployment: "Deployments",
  bucket: "Model storage",
  webhook: "Webhooks",
  budget: "Budgets",
  purse: "Project credits",
  session: "Sessions",
  run: "Runs",
  workflow: "Workflows",
  backup: "Backups",
  admin: "Administration",
  audit: "Audit log",
};

const groups = [...new Set(Object.keys(auditWords).map((kind) => kind.split(".")[0] ?? kind))];

/** What never happens in a project. */
const ofAccounts = new Set([
  "account",
  "sign_in",
  "sign_out",
  "password",
  "second_factor",
  "identity",
  "email",
  "team",
]);

interface AuditFilterBarProps {
  scope: AuditScope;
  filters: AuditFilters;
  /** What is being typed; the filters follow after a pause. */
  texts: { person: string; text: string };
  busy: boolean;
  onText: (name: "person" | "text", text: string) => void;
  onChange: (change: Partial<AuditFilters>) => void;
  onReset: () => void;
}

export function AuditFilterBar({ scope, filters, texts, busy, onText, onChange, onReset }: AuditFilterBarProps) {
  const isFiltered = Object.values(filters).some((value) => value !== "");
  const shown = groups.filter((group) => scope === undefined || !ofAccounts.has(group));
  return (
    <div className="flex flex-wrap items-end gap-2">
      <SearchField
        label="Search"
        className="min-w-40 grow"
        value={texts.text}
        busy={busy}
        maxLength={100}
        onChange={(event) => onText("text", event.target.value)}
      />
      <SearchField
        label="Username"
        className="w-40 max-sm:grow"
        value={texts.person}
        maxLength={100}
        onChange={(event) => onText("person", event.target.value)}
      />
      <PlainSelect label="Kind" value={filters.kind} onChange={(kind) => onChange({ kind })}>
        <option value="">All kinds</option>
        {shown.map((group) => (
          <option key={group} value={group}>
            {groupWords[group] ?? group}
          </option>
        ))}
      </PlainSelect>
      <PlainSelect label="Result" value={filters.result} onChange={(result) => onChange({ result })}>
        <option value="">All results</option>
        <option value="done">Done</option>
        <option value="refused">Refused</option>
      </PlainSelect>
      <div className="flex items-end gap-2">
        <Day label="From" value={filters.from} onChange={(from) => onChange({ from })} />
        <Day label="To" value={filters.to} onChange={(to) => onChange({ to })} />
      </div>
      {isFiltered ? (
        <Button onClick={onReset}>
          <ListFilter className="size-4" aria-hidden="true" />
          Show all
        </Button>
      ) : null}
    </div>
  );
}

function Day({ label, value, onChange }: { label: string; value: string; onChange: (day: string) => void }) {
  return (
    <Field label={label}>
      {(wiring) => (
        <input
          {...wiring}
          type="date"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className="h-9 rounded-md border border-line-strong bg-surface px-2.5 text-lg text-ink transition-colors hover:border-ink-faint focus-visible:outline-offset-0 sm:text-base"
        />
      )}
    </Field>
  );
}
