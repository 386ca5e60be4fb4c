import { useMemo } from "react";
import { useSearchParams } from "react-router";

import { model as limits } from "@miranda/contract/limits.ts";

import { modelAddress } from "./model.ts";

export type ComparePart = "" | "charts" | "changes" | "outputs" | "plots";

/** The address of a comparison. It names the versions, so that it can be shared. */
export function comparedVersionsAddress(modelId: string, versions: readonly number[], part: ComparePart = ""): string {
  const address = `${modelAddress(modelId, "compare")}${part === "" ? "" : `/${part}`}`;
  return versions.length === 0 ? address : `${address}?versions=${versions.join(",")}`;
}

/** Numbers of versions from an address: each once, as many as can be compared. */
export function versionsOf(text: string | null): number[] {
  const numbers = (text ?? "").split(",").map(Number);
  const known = numbers.filter((number) => Number.isSafeInteger(number) && number > 0);
  return [...new Set(known)].slice(0, limits.comparedMax);
}

export function useComparedVersions(): number[] {
  const [params] = useSearchParams();
  const text = params.get("versions");
  return useMemo(() => versionsOf(text), [text]);
}

/** How the comparison names a version. */
export const itemOf = (modelId: string, number: number) => `${modelId}@${number}`;
