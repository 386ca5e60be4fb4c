/** What is known of where the files of a version are. */
interface VersionPlace {
  source: string;
  logged_model_id: string | null;
  logged_experiment: number | null;
  tracked_run_id: string | null;
  experiment: number | null;
}

const own = /^\d{1,9}\/(?:[0-9a-f]{32}|models\/m-[0-9a-f]{32})\/artifacts(?:\/|$)/;

/** The folder of its files among the artefacts of the project. Undefined when they are elsewhere. */
export function versionFolder(place: VersionPlace): string | undefined {
  if (place.logged_model_id !== null && place.logged_experiment !== null)
    return `${place.logged_experiment}/models/${place.logged_model_id}/artifacts`;
  const stored = /^mlflow-artifacts:(?:\/\/[^/]*)?\/+(.+)$/.exec(place.source)?.[1];
  if (stored !== undefined) return own.test(stored) ? withoutSlash(stored) : undefined;
  const [, run, path = ""] = /^runs:\/+([0-9a-f]{32})(?:\/(.*))?$/.exec(place.source) ?? [];
  if (run === undefined || place.experiment === null || run !== place.tracked_run_id?.replaceAll("-", ""))
    return undefined;
  return withoutSlash(`${place.experiment}/${run}/artifacts/${path}`);
}

/** Addresses of this server. What they name and is not here was removed. */
const ours = /^(?:models|runs|mlflow-artifacts):/;

/** Where its files are when a client keeps them, such as in a bucket of its own. */
export function elsewhereOf(place: VersionPlace): string | null {
  const { source } = place;
  return source === "" || ours.test(source) || versionFolder(place) !== undefined ? null : source;
}

function withoutSlash(path: string): string {
  return path.replace(/\/{1,100}$/, "");
}
