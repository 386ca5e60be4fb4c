import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, NavLink } from "react-router";

import { graphAddress } from "../../api/graphs.ts";
import { modelAddress, type ModelPart } from "../../api/models/model.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { counted } from "../../ui/counted.ts";
import { useOpenTabInView } from "../../ui/layout/use-open-tab-in-view.ts";
import { LongText } from "../../ui/text/long-text.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { DeleteModelDialog } from "./dialogs/delete-model-dialog.tsx";
import { EditModelDialog } from "./dialogs/edit-model-dialog.tsx";
import { useOpenModel } from "./open-model.tsx";
import { TagList } from "../../panels/models/tag-list.tsx";
import { useGivenVersion } from "./use-chosen-version.ts";

const parts: readonly { part: ModelPart; label: string }[] = [
  { part: "", label: "Versions" },
  { part: "charts", label: "Charts" },
  { part: "files", label: "Files" },
  { part: "use", label: "Use it" },
  { part: "lineage", label: "Lineage" },
  { part: "compare", label: "Compare" },
  { part: "history", label: "History" },
];

const place = "inline-block max-w-64 truncate align-bottom text-accent-text hover:underline";

/** What the model is and what can be done with it, and the links to its parts. */
export function ModelHeader() {
  const { model, mayWrite } = useOpenModel();
  const [dialog, setDialog] = useState<"edit" | "delete" | null>(null);
  const given = useGivenVersion();
  const tabs = useOpenTabInView();
  const { graph } = model;
  return (
    <header className="shrink-0 border-b border-line bg-surface px-4 pt-4 sm:px-6" data-testid="model-header">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="flex min-w-0 flex-1 basis-64 flex-col gap-1.5">
          <h1 className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1 text-lg font-semibold">
            <span dir="auto" className="max-w-full min-w-0 truncate" title={oneLine(model.name)}>
              {oneLine(model.name)}
            </span>
            {model.aliases.map(({ alias, number }) => (
              <Badge key={alias} tone="accent">
                {alias} → v{number}
              </Badge>
            ))}
          </h1>
          <p className="text-sm text-ink-muted">
            {counted(model.versions, "version")} in{" "}
            <Link to={`/designer/projects/${graph.project_id}`} dir="auto" className={place}>
              {oneLine(model.project_name)}
            </Link>
            {graph.id === "" ? null : (
              <>
                {" "}
                from{" "}
                <Link to={graphAddress(graph.project_id, graph.id)} dir="auto" className={place}>
                  {oneLine(graph.name)}
                </Link>
              </>
            )}
          </p>
          {model.description === "" ? null : (
            <p
              dir="auto"
              className="max-w-3xl text-sm wrap-anywhere whitespace-pre-wrap"
              data-testid="model-description"
            >
              <LongText text={model.description} />
            </p>
          )}
          <TagList tags={model.tags} />
        </div>
        {mayWrite ? (
          <div className="flex flex-wrap items-center gap-2">
            <Button size="sm" variant="ghost" onClick={() => setDialog("delete")}>
              <Trash2 className="size-3.5" aria-hidden="true" />
              Delete
            </Button>
            <Button size="sm" onClick={() => setDialog("edit")}>
              <Pencil className="size-3.5" aria-hidden="true" />
              Edit
            </Button>
          </div>
        ) : null}
      </div>
      <nav ref={tabs} aria-label="Parts of the model" className="-mb-px flex gap-5 overflow-x-auto pt-2">
        {parts.map(({ part, label }) => (
          <NavLink
            key={part}
            to={modelAddress(model.id, part, given)}
            end={part === ""}
            className={({ isActive }) =>
              classes(
                "-mx-1 flex h-10 shrink-0 items-center border-b-2 px-1 font-medium -outline-offset-2 transition-colors",
                isActive ? "border-accent text-ink" : "border-transparent text-ink-muted hover:text-ink",
              )
            }
          >
            {label}
          </NavLink>
        ))}
      </nav>
      {dialog === "edit" ? <EditModelDialog model={model} onClose={() => setDialog(null)} /> : null}
      {dialog === "delete" ? <DeleteModelDialog model={model} onClose={() => setDialog(null)} /> : null}
    </header>
  );
}
