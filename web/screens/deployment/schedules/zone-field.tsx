import { useMemo, useState } from "react";

import { SearchList } from "../../../ui/layout/search-list.tsx";
import { Picker } from "../../../ui/overlay/picker.tsx";
import { allZones, findZones, ownZone } from "./time-words.ts";

interface ZoneFieldProps {
  value: string;
  onChange: (timezone: string) => void;
}

const shownMax = 60;

/** A time zone, found by typing a part of its name. */
export function ZoneField({ value, onChange }: ZoneFieldProps) {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState("");
  const zones = useMemo(() => allZones(), []);
  const own = ownZone();
  const found = findZones(zones, text);
  // Without a search, the reader's own zone is what most people want.
  const shown = (text.trim() === "" ? [own, ...found.filter((zone) => zone !== own)] : found).slice(0, shownMax);
  const change = (open: boolean): void => {
    setOpen(open);
    setText("");
  };
  return (
    <Picker
      label="Time zone"
      placeholder="Choose a time zone"
      value={spaced(value)}
      open={isOpen}
      onOpenChange={change}
    >
      <SearchList
        label="Search for a city or region"
        listLabel="Time zones"
        text={text}
        onText={setText}
        onCommit={() => undefined}
        items={shown}
        itemKey={(zone) => zone}
        chosen={value}
        onChoose={(zone) => {
          onChange(zone);
          change(false);
        }}
        renderItem={(zone) => (
          <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
            <span className="truncate">{spaced(zone)}</span>
            <span className="text-sm text-ink-muted">{zone === own ? `${clockIn(zone)}, yours` : clockIn(zone)}</span>
          </span>
        )}
        busy={false}
        status={shown.length === 0 ? <p className="px-2.5 py-3 text-ink-muted">No time zone has this name.</p> : null}
        onEscape={() => change(false)}
        focusOnOpen
      />
    </Picker>
  );
}

function spaced(zone: string): string {
  return zone.replaceAll("_", " ");
}

function clockIn(zone: string): string {
  return new Date().toLocaleTimeString(undefined, { timeZone: zone, hour: "2-digit", minute: "2-digit" });
}
