import { counted } from "../../../ui/counted.ts";
import { comparedPackages } from "./compared-nodes.ts";
import { useBothRuns } from "./use-other-run.ts";

/** Which packages and which Python differ. */
export function PackageChanges() {
  const both = useBothRuns();
  if (!both) return null;
  const { changed, same } = comparedPackages(both.before, both.after);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto bg-surface p-4 sm:p-6">
      {changed.length === 0 ? (
        <p className="text-ink-muted" data-testid="same-packages">
          {same === 0 ? "No packages were installed for these runs." : `All ${counted(same, "package")} are the same.`}
        </p>
      ) : (
        <table className="w-full max-w-3xl text-left text-sm">
          <thead className="text-ink-muted">
            <tr>
              <th className="border-b border-line py-2 pr-4 font-medium">Package</th>
              <th className="border-b border-line py-2 pr-4 font-medium">Before</th>
              <th className="border-b border-line py-2 font-medium">After</th>
            </tr>
          </thead>
          <tbody>
            {changed.map(({ name, before, after }) => (
              <tr key={name} data-testid="changed-package">
                <td className="border-b border-line py-2 pr-4 font-medium">{name}</td>
                <td className="border-b border-line py-2 pr-4 font-mono text-xs">{before ?? "not installed"}</td>
                <td className="border-b border-line py-2 font-mono text-xs">{after ?? "not installed"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {changed.length > 0 && same > 0 ? (
        <p className="mt-4 text-sm text-ink-muted">{counted(same, "package")} are the same.</p>
      ) : null}
    </div>
  );
}
