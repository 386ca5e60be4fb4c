import { useInfiniteQuery } from "@tanstack/react-query";

import { modelVersionsQuery } from "../../api/models/model.ts";
import { PlainSelect } from "../../ui/form/plain-select.tsx";
import { useOpenModel } from "./open-model.tsx";

interface VersionPickProps {
  number: number;
  onPick: (number: number) => void;
}

/** The version that a part of the page is about. */
export function VersionPick({ number, onPick }: VersionPickProps) {
  const { model } = useOpenModel();
  const { data: versions = [] } = useInfiniteQuery(modelVersionsQuery(model.id));
  const isListed = versions.some((version) => version.number === number);
  return (
    <PlainSelect label="Version" value={`${number}`} onChange={(value) => onPick(Number(value))}>
      {isListed ? null : <option value={number}>Version {number}</option>}
      {versions.map((version) => (
        <option key={version.number} value={version.number}>
          Version {version.number}
          {version.aliases.length > 0 ? ` (${version.aliases.join(", ")})` : ""}
        </option>
      ))}
    </PlainSelect>
  );
}
