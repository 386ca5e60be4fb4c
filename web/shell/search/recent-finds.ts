import { isRecord } from "../../is-record.ts";
import { readStoredRecord, writeStored } from "../../storage.ts";
import { search as limits } from "../../limits.ts";
import { type FindKind, isFindKind } from "./find-kinds.tsx";

/** Something that was found and opened. */
export interface Find {
  kind: FindKind;
  name: string;
  detail: string;
  address: string;
}

/** What this account opened last from the search, in this browser. Logging out removes it. */
export function readRecentFinds(accountId: string): Find[] {
  const { account, finds } = readStoredRecord(limits.recentKey);
  if (account !== accountId || !Array.isArray(finds)) return [];
  return finds.filter(isFind).slice(0, limits.recentMost);
}

export function rememberFind(accountId: string, find: Find): void {
  const others = readRecentFinds(accountId).filter(({ address }) => address !== find.address);
  const finds = [find, ...others].slice(0, limits.recentMost);
  writeStored(limits.recentKey, JSON.stringify({ account: accountId, finds }));
}

function isFind(value: unknown): value is Find {
  if (!isRecord(value)) return false;
  const { kind, name, detail, address } = value;
  // We store only our own addresses. Another one must come from foreign code.
  return (
    isFindKind(kind) &&
    typeof name === "string" &&
    typeof detail === "string" &&
    typeof address === "string" &&
    /^\/(?!\/)/.test(address)
  );
}
