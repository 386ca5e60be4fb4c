import { useQuery } from "@tanstack/react-query";
import { SearchX, Trash2 } from "lucide-react";
import { Link } from "react-router";

import { modelTrashAddress, modelTrashQuery } from "../../api/models/model.ts";
import { personName } from "../../panels/runs/run-words.ts";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { dayWords } from "../../format/day-words.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";

/** A model that cannot be opened. Who may restore a deleted one is told where. */
export function MissingModel({ modelId }: { modelId: string }) {
  const { data, isPending } = useQuery({ ...modelTrashQuery(modelId), retry: false });
  if (isPending) return <LoadingArea label="Loading the model" />;
  const trashed = data?.find(({ number }) => number === null);
  return (
    <div className="mx-auto w-full max-w-2xl px-4 py-16">
      <EmptyState
        icon={trashed ? Trash2 : SearchX}
        title={trashed ? `“${oneLine(trashed.name)}” is deleted` : "Model not found"}
        action={
          <div className="flex flex-wrap justify-center gap-2">
            <Link to="/designer/models" className={buttonClasses()}>
              All models
            </Link>
            <Link to={modelTrashAddress} className={buttonClasses()}>
              Deleted models
            </Link>
          </div>
        }
      >
        {trashed ? (
          <>
            {trashed.deleted_by ? `${oneLine(personName(trashed.deleted_by))} deleted it ` : "It was deleted "}
            <RelativeTime time={trashed.time_deleted} />. It can be restored under Deleted models until{" "}
            {dayWords(trashed.time_removed)}.
          </>
        ) : (
          "It was deleted, or you may not read its project."
        )}
      </EmptyState>
    </div>
  );
}
