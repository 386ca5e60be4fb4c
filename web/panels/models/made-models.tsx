import { Box } from "lucide-react";
import { Link } from "react-router";

import type { MadeModel } from "@miranda/contract/schemas/models/lineage.ts";

import { modelAddress } from "../../api/models/model.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";

const shownMost = 6;

/** Links to the versions of models that came of something: "harbour v3". */
export function MadeModels({ models }: { models: readonly MadeModel[] }) {
  return (
    <ul aria-label="Models" className="flex min-w-0 flex-wrap gap-x-3 gap-y-1" data-testid="made-models">
      {models.slice(0, shownMost).map(({ model_id, name, number, aliases }) => (
        <li key={`${model_id} ${number}`} className="flex min-w-0 items-center gap-1">
          <Link
            to={modelAddress(model_id, "lineage", number)}
            className="flex min-w-0 items-center gap-1 text-accent-text hover:underline"
          >
            <Box className="size-3.5 shrink-0" aria-hidden="true" />
            <span dir="auto" className="min-w-0 truncate">
              {oneLine(name)}
            </span>
            <span className="shrink-0 tabular-nums">v{number}</span>
          </Link>
          {aliases.length > 0 ? <span className="truncate text-ink-muted">({aliases.join(", ")})</span> : null}
        </li>
      ))}
      {models.length > shownMost ? <li className="text-ink-muted">and {models.length - shownMost} more</li> : null}
    </ul>
  );
}
