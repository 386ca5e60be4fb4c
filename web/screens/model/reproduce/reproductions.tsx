import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";

import { reproductionsQuery } from "../../../api/models/lineage.ts";
import { runAddress } from "../../../api/runs/runs.ts";
import { RunBadge } from "../../../panels/runs/run-mark.tsx";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { comparedVersionsAddress } from "../../../api/models/compared-versions.ts";
import { useOpenModel } from "../open-model.tsx";
import { isOver, outcomeWords } from "./reproduction-words.ts";

const link = "text-accent-text hover:underline";

/** The runs that made a version again, and how the results differ. */
export function Reproductions({ version }: { version: number }) {
  const { model } = useOpenModel();
  const known = useQuery(reproductionsQuery(model.id, version));
  const isAwaited = known.data?.made.some(({ state }) => !isOver(state)) ?? false;
  const { data } = useQuery(reproductionsQuery(model.id, version, isAwaited));
  if (!data || data.made.length === 0) return null;
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-semibold">Reproductions</h3>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface text-sm">
        {data.made.map((made) => (
          <li
            key={made.run_id}
            data-testid="reproduction"
            className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5"
          >
            <RunBadge state={made.state} />
            <span className="text-ink-muted">
              <RelativeTime time={made.time_began} />
            </span>
            <span className="min-w-0 flex-1 basis-56 wrap-anywhere">{oneLine(outcomeWords(made))}</span>
            {made.number === null || data.run_id === null ? null : (
              <Link to={comparedVersionsAddress(model.id, [version, made.number])} className={link}>
                Compare
              </Link>
            )}
            <Link to={runAddress(made.run_id)} className={link}>
              Open the run
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
