import { UserPlus } from "lucide-react";
import { useState } from "react";
import { Link, useParams } from "react-router";

import type { Person } from "@miranda/contract/schemas/account/people.ts";

import { peopleCount } from "../../../ui/counted.ts";
import { fullName } from "../../../format/person-names.ts";
import { shownTotal } from "../../../format/list-total.ts";
import { type PeopleKind, usePeople } from "../../../api/admin/people.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Avatar } from "../../../ui/avatar.tsx";
import { Button } from "../../../ui/button.tsx";
import { PlainSelect } from "../../../ui/form/plain-select.tsx";
import { SearchField } from "../../../ui/form/search-field.tsx";
import { useDebouncedText } from "../../../ui/form/use-debounced-text.ts";
import { Card } from "../../../ui/layout/card.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { NewPersonDialog } from "./new-person-dialog.tsx";
import { PersonPanel } from "./person-panel.tsx";
import { StateBadges } from "./state-badges.tsx";
import { Money } from "../../../panels/money.tsx";
import { trialWords } from "./person-words.ts";

const kinds: readonly { value: PeopleKind; label: string }[] = [
  { value: "all", label: "Everybody" },
  { value: "admins", label: "Administrators" },
  { value: "disabled", label: "Disabled" },
];

/** Everybody with an account, and what administrators change about one of them. */
export function PeopleTab() {
  const { item } = useParams();
  return item === undefined ? <PeopleList /> : <PersonPanel key={item} id={item} />;
}

function PeopleList() {
  const [kind, setKind] = useState<PeopleKind>("all");
  const search = useDebouncedText(250);
  const list = usePeople(search.committed.trim(), kind);
  const [isAdding, setAdding] = useState(false);
  const people = list.data?.items;
  return (
    <section aria-label="People" className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-3">
        <SearchField
          label="Search by name, username or e-mail"
          value={search.text}
          onChange={(event) => search.setText(event.target.value)}
          busy={search.isWaiting || list.isPlaceholderData}
          className="min-w-56 flex-1 sm:max-w-md"
        />
        <PlainSelect
          label="Who"
          value={kind}
          onChange={(value) => setKind(kinds.find((one) => one.value === value)?.value ?? "all")}
        >
          {kinds.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </PlainSelect>
        <span className="text-sm text-ink-muted tabular-nums">
          {list.data?.total && peopleCount(shownTotal(list.data.total))}
        </span>
        <Button variant="primary" className="ml-auto" onClick={() => setAdding(true)}>
          <UserPlus className="size-4" aria-hidden="true" />
          Create account
        </Button>
      </div>
      {list.error && !people ? (
        <LoadFailure
          title="The people could not be loaded"
          message={list.error.message}
          busy={list.isFetching}
          onRetry={() => void list.refetch()}
        />
      ) : people === undefined ? (
        <LoadingArea />
      ) : (
        <Card className="overflow-x-auto">
          {people.length === 0 ? (
            <p className="p-5 text-ink-muted">Nobody was found.</p>
          ) : (
            <PeopleTable people={people} />
          )}
        </Card>
      )}
      {list.hasNextPage ? (
        <Button className="self-center" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      ) : null}
      {isAdding ? <NewPersonDialog onClose={() => setAdding(false)} /> : null}
    </section>
  );
}

const heading = "px-3 py-2 text-left text-xs font-medium whitespace-nowrap text-ink-muted first:pl-4 last:pr-4";
const cell = "px-3 py-2 whitespace-nowrap first:pl-4 last:pr-4";

function PeopleTable({ people }: { people: readonly Person[] }) {
  return (
    <table className="w-full text-sm">
      <thead className="border-b border-line bg-sunken">
        <tr>
          <th className={heading}>Name</th>
          <th className={`${heading} max-sm:hidden`}>State</th>
          <th className={heading}>Last seen</th>
          <th className={`${heading} text-right`}>Credits</th>
          <th className={heading}>Trial</th>
          <th className={heading}>Two-step sign-in</th>
          <th className={`${heading} text-right`}>Projects</th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {people.map((person) => (
          <tr key={person.id} className="transition-colors hover:bg-hover">
            <td className={`${cell} max-w-72 sm:max-w-80`}>
              <Link
                to={`/account/admin/people/${person.id}`}
                className="flex items-center gap-3 rounded-sm outline-offset-2"
              >
                <Avatar name={fullName(person)} src={person.avatar} size="sm" />
                <span className="flex min-w-0 flex-col">
                  <span className="flex items-center gap-2">
                    <span className="truncate font-medium">{fullName(person)}</span>
                    {/* A phone has no room for the column of states. */}
                    {person.is_admin || person.time_disabled !== null ? (
                      <span className="sm:hidden">
                        <StateBadges person={person} />
                      </span>
                    ) : null}
                  </span>
                  <span className="truncate text-xs text-ink-muted">
                    {person.username} · {person.email}
                  </span>
                </span>
              </Link>
            </td>
            <td className={`${cell} max-sm:hidden`}>
              <StateBadges person={person} />
            </td>
            <td className={`${cell} text-ink-muted`}>
              {person.last_seen === null ? "Never" : <RelativeTime time={person.last_seen} />}
            </td>
            <td className={`${cell} text-right tabular-nums`}>
              <Money amount={person.credits} />
            </td>
            <td className={`${cell} text-ink-muted`}>{trialWords(person)}</td>
            <td className={`${cell} text-ink-muted`}>{person.has_second_factor ? "On" : "Off"}</td>
            <td className={`${cell} text-right tabular-nums`}>{person.projects}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
