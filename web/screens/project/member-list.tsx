import type { ReactNode } from "react";

import type { ProjectMember } from "@miranda/contract/schemas/members.ts";

import { useProjectMembers } from "../../api/members.ts";
import { loadMore } from "../../api/pages.ts";
import { countedTotal } from "../../format/list-total.ts";
import { debounce } from "../../limits.ts";
import { SearchField } from "../../ui/form/search-field.tsx";
import { useDebouncedText } from "../../ui/form/use-debounced-text.ts";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { VirtualList } from "../../ui/layout/virtual-list.tsx";

// With fewer members, looking is faster than typing.
const searchFrom = 10;

interface MemberEntry {
  member: ProjectMember;
  isRemoved: boolean;
}

interface MemberListProps {
  projectId: string;
  removed: readonly ProjectMember[];
  owns: boolean;
  renderMember: (entry: MemberEntry) => ReactNode;
}

export function MemberList({ projectId, removed, owns, renderMember }: MemberListProps) {
  const search = useDebouncedText(debounce.filter);
  const query = search.committed.trim();
  const { data, error, isFetching, isPlaceholderData, refetch, ...more } = useProjectMembers(projectId, query);
  if (!data && !error) return <Spinner label="Loading members" showLabel />;
  if (!data)
    return (
      <LoadFailure
        title="The members could not be loaded"
        message={error?.message ?? ""}
        busy={isFetching}
        onRetry={() => void refetch()}
      />
    );
  const isLong = data.items.length >= searchFrom || search.text !== "" || query !== "";
  const entries = withRemoved(data.items, query === "" ? removed : []);
  return (
    <div className="flex flex-col gap-2">
      {isLong ? (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <SearchField
            label="Find a member"
            value={search.text}
            onChange={(event) => search.setText(event.target.value)}
            busy={search.isWaiting || isPlaceholderData}
            className="w-full sm:w-64"
          />
          {data.total === undefined ? null : (
            <output className="text-sm text-ink-muted tabular-nums">{countedTotal(data.total, "member")}</output>
          )}
        </div>
      ) : null}
      <VirtualList
        search={query}
        label="Members"
        items={entries}
        itemKey={({ member }) => member.id}
        renderItem={renderMember}
        rowHeight={61}
        className="-mx-5 max-h-96 overflow-y-auto overscroll-contain px-5 -outline-offset-2 [&_li+li]:border-t [&_li+li]:border-line"
        onEndNear={() => loadMore(more)}
        reading={!owns && isLong}
        footer={
          more.isFetchNextPageError ? (
            <LoadFailure
              title="No more members could be loaded"
              message={error?.message ?? ""}
              onRetry={() => void more.fetchNextPage()}
            />
          ) : null
        }
      />
      {entries.length === 0 ? <p className="py-4 text-ink-muted">No member has “{query}” in their name.</p> : null}
    </div>
  );
}

/** The members with those just removed, each in its place: the owner first, then by username. */
function withRemoved(members: readonly ProjectMember[], removed: readonly ProjectMember[]): MemberEntry[] {
  const present = new Set(members.map(({ id }) => id));
  const gone = removed.filter(({ id }) => !present.has(id));
  const entries = [
    ...members.map((member) => ({ member, isRemoved: false })),
    ...gone.map((member) => ({ member, isRemoved: true })),
  ];
  if (gone.length === 0) return entries;
  const place = ({ member }: MemberEntry) => (member.role === "owner" ? "" : member.username.toLowerCase());
  return entries.sort((one, other) => (place(one) < place(other) ? -1 : 1));
}
