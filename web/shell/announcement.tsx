import { Megaphone } from "lucide-react";
import { type ReactNode, useState } from "react";

import { readStored, writeStored } from "../storage.ts";
import { safeAddress } from "../ui/markdown/safe-address.ts";
import { ClosableBanner } from "./closable-banner.tsx";

const closedKey = "closedAnnouncement";

/** What administrators tell everybody, below the top bar. A person who closes it sees the next text again. */
export function Announcement({ text }: { text: string }) {
  const [closed, setClosed] = useState(() => readStored(closedKey));
  if (text === closed) return null;
  return (
    <ClosableBanner
      label="Announcement"
      icon={Megaphone}
      tone="info"
      heightName="--announcement"
      closeLabel="Close the announcement"
      onClose={() => {
        writeStored(closedKey, text);
        setClosed(text);
      }}
    >
      <p dir="auto" className="wrap-anywhere whitespace-pre-line">
        {withLinks(text)}
      </p>
    </ClosableBanner>
  );
}

/** Of Markdown only links, as [words](address). Everything else stays text. */
function withLinks(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const match of text.matchAll(/\[([^\][]{1,200})\]\(([^()\s]{1,400})\)/g)) {
    const [whole, words, address = ""] = match;
    const safe = safeAddress(address, "link");
    if (safe === undefined) continue;
    parts.push(text.slice(at, match.index));
    parts.push(
      <a key={match.index} href={safe} target="_blank" rel="noreferrer" className="font-medium underline">
        {words}
      </a>,
    );
    at = match.index + whole.length;
  }
  return [...parts, text.slice(at)];
}
