import { counted } from "../../ui/counted.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";

interface EndedDeploymentsProps {
  /** How many there are; `titles` has the first ones. */
  count: number;
  titles: readonly string[];
}

/** In the question before something is deleted: the apps that people would lose. */
export function EndedDeployments({ count, titles }: EndedDeploymentsProps) {
  if (count === 0) return null;
  const more = count - titles.length;
  return (
    <div
      role="note"
      data-testid="ended-deployments"
      className="rounded-md bg-warning-soft px-3 py-2 text-sm text-warning-text"
    >
      <p>
        {count === 1 ? "This app will end, with its calls, schedules and links:" : `${counted(count, "app")} will end:`}
      </p>
      <ul className="mt-1 list-disc pl-5 font-medium">
        {titles.map((title, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- two apps may have the same title
          <li key={at} dir="auto" className="wrap-anywhere">
            {oneLine(title)}
          </li>
        ))}
        {more > 0 ? <li>and {more} more</li> : null}
      </ul>
    </div>
  );
}
