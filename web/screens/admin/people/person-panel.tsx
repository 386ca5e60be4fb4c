import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";

import type { Person } from "@miranda/contract/schemas/account/people.ts";

import { fullName } from "../../../format/person-names.ts";
import { usePerson } from "../../../api/admin/people.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Avatar } from "../../../ui/avatar.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { AccessSection } from "./access-section.tsx";
import { CreditsSection } from "./credits-section.tsx";
import { useMoney } from "../../../api/settings.ts";
import { trialWords } from "./person-words.ts";
import { QuotasSection } from "./quotas-section.tsx";
import { StateBadges } from "./state-badges.tsx";
import { TrialSection } from "./trial-section.tsx";

/** One account: what administrators know and change about it. */
export function PersonPanel({ id }: { id: string }) {
  const { data: person, error, isFetching, refetch } = usePerson(id);
  // Grows when what is stored replaces what was typed.
  const [shown, setShown] = useState(0);
  async function reload() {
    await refetch();
    setShown((count) => count + 1);
  }
  return (
    <section aria-label="Person" className="flex flex-col gap-8">
      <Link
        to="/account/admin/people"
        className="inline-flex items-center gap-1.5 self-start text-sm text-ink-muted hover:text-ink"
      >
        <ArrowLeft className="size-4" aria-hidden="true" />
        All people
      </Link>
      {person ? (
        <>
          <Header person={person} />
          <div key={shown} className="flex flex-col gap-10">
            <AccessSection person={person} onReload={reload} />
            <CreditsSection person={person} />
            <TrialSection person={person} onReload={reload} />
            <QuotasSection person={person} onReload={reload} />
          </div>
        </>
      ) : error ? (
        <LoadFailure
          title="The account could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : (
        <LoadingArea />
      )}
    </section>
  );
}

function Header({ person }: { person: Person }) {
  const money = useMoney();
  const facts = [
    ["Credits", money(person.credits)],
    ["Trial", trialWords(person)],
    ["Projects", String(person.projects)],
    ["Running", String(person.running)],
    ["Two-step sign-in", person.has_second_factor ? "On" : "Off"],
  ] as const;
  return (
    <header className="flex flex-wrap items-center gap-x-6 gap-y-4">
      <Avatar name={fullName(person)} src={person.avatar} size="lg" />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-3">
          <h2 className="text-xl font-semibold wrap-anywhere">{fullName(person)}</h2>
          <StateBadges person={person} />
        </div>
        <p className="text-ink-muted wrap-anywhere">
          {person.username} · {person.email}
        </p>
        <p className="text-sm text-ink-muted">
          Created <RelativeTime time={person.time_created} />, last seen{" "}
          {person.last_seen === null ? "never" : <RelativeTime time={person.last_seen} />}.
        </p>
      </div>
      <dl className="grid w-full grid-cols-2 gap-x-8 gap-y-3 sm:grid-cols-5">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt className="text-xs text-ink-muted">{label}</dt>
            <dd className="font-medium tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </header>
  );
}
