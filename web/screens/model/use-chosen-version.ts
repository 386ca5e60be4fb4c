import { useSearchParams } from "react-router";

import { useOpenModel } from "./open-model.tsx";

/** The version that the address names. */
export function useGivenVersion(): number | undefined {
  const [params] = useSearchParams();
  const given = Number(params.get("version"));
  return Number.isSafeInteger(given) && given > 0 ? given : undefined;
}

/** The version that a part of the page is about: the given one, or the newest. The address keeps the choice. */
export function useChosenVersion(): [number, (number: number) => void] {
  const { model } = useOpenModel();
  const given = useGivenVersion();
  const [, setParams] = useSearchParams();
  const choose = (number: number) =>
    setParams(
      (params) => {
        params.set("version", `${number}`);
        return params;
      },
      { replace: true },
    );
  return [given ?? model.latest_version, choose];
}
