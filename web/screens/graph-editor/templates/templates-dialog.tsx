import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";

import type { OwnTemplate } from "@miranda/contract/schemas/library/templates.ts";

import { graphAddress } from "../../../api/graphs.ts";
import {
  ownTemplatesQuery,
  templateUsesQuery,
  templateVersionsQuery,
  useTemplateCalls,
} from "../../../api/templates.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { counted } from "../../../ui/counted.ts";
import { FormAlert } from "../../../ui/form/field.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { VersionLines } from "./version-lines.tsx";

/** What the person has published: versions, who uses it, and whether it is offered. */
export function TemplatesDialog({ onClose }: { onClose: () => void }) {
  const { data, error, isFetching, refetch } = useQuery({ ...ownTemplatesQuery, refetchOnMount: "always" });
  const [chosenId, setChosenId] = useState<string>();
  const chosen = data?.find(({ id }) => id === chosenId) ?? data?.[0];
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Your templates"
      description="Prefabs and blueprints that you published. To publish a newer version, open the menu of a node or a selection."
      wide
    >
      {error ? (
        <LoadFailure
          title="Your templates could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : null}
      {!data && !error ? <LoadingArea label="Loading your templates" /> : null}
      {data && !chosen ? <p className="py-6 text-center text-ink-muted">You have published nothing yet.</p> : null}
      {data && chosen ? (
        <div className="flex min-h-64 gap-5 max-sm:flex-col" data-testid="own-templates">
          <ul aria-label="Your templates" className="flex flex-col gap-0.5 overflow-y-auto sm:max-h-[50dvh] sm:w-56">
            {data.map((one) => (
              <li key={one.id}>
                <button
                  type="button"
                  aria-current={one.id === chosen.id}
                  onClick={() => setChosenId(one.id)}
                  className={classes(
                    "w-full rounded-md px-2.5 py-1.5 text-left -outline-offset-2",
                    one.id === chosen.id ? "bg-accent-soft" : "hover:bg-hover",
                  )}
                >
                  <span dir="auto" className="block truncate font-medium">
                    {one.name}
                  </span>
                  <span className="block truncate text-xs text-ink-muted">
                    {one.kind === "prefab" ? "Prefab" : counted(one.node_count, "node")} · version {one.version}
                    {one.withdrawn ? " · withdrawn" : ""}
                  </span>
                </button>
              </li>
            ))}
          </ul>
          <Details key={chosen.id} template={chosen} />
        </div>
      ) : null}
    </Dialog>
  );
}

function Details({ template }: { template: OwnTemplate }) {
  const { setWithdrawn } = useTemplateCalls();
  const versions = useQuery(templateVersionsQuery(template.id));
  const form = useForm(async () => setWithdrawn(template, !template.withdrawn));
  const { withdrawn } = template;
  return (
    <section
      aria-label={template.name}
      className="flex min-w-0 flex-1 flex-col gap-5 sm:max-h-[50dvh] sm:overflow-y-auto"
    >
      <div>
        <h3 className="flex items-center gap-2 font-semibold">
          <span dir="auto" className="min-w-0 truncate">
            {template.name}
          </span>
          {withdrawn ? <Badge>Withdrawn</Badge> : null}
          {withdrawn ? null : <Badge>{template.public ? "Every account" : "Only you"}</Badge>}
        </h3>
        <form onSubmit={form.onSubmit} className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-2">
          <Button type="submit" size="sm" busy={form.busy}>
            {withdrawn ? "Offer again" : "Withdraw"}
          </Button>
          <p className="min-w-0 flex-1 text-sm text-ink-muted">
            {withdrawn
              ? "Nobody finds it in the library. Nodes made from it keep their code."
              : "Withdrawn, it is no longer in the library, and nodes made from it keep their code."}
          </p>
          <FormAlert message={form.error} />
        </form>
      </div>
      <Uses template={template} />
      <div>
        <h4 className="mb-2 text-sm font-medium text-ink-muted">Versions</h4>
        {versions.error ? <p className="text-sm text-danger-text">{versions.error.message}</p> : null}
        {versions.data ? <VersionLines versions={versions.data} /> : null}
      </div>
    </section>
  );
}

function Uses({ template }: { template: OwnTemplate }) {
  const { data, error } = useQuery(templateUsesQuery(template.id));
  return (
    <div>
      <h4 className="mb-2 text-sm font-medium text-ink-muted">Used by</h4>
      {error ? <p className="text-sm text-danger-text">{error.message}</p> : null}
      {data && data.workflows.length === 0 && data.others === 0 ? (
        <p className="text-sm text-ink-muted">No workflow has a linked copy.</p>
      ) : null}
      <ul className="flex flex-col gap-1">
        {data?.workflows.map(({ id, name, project, nodes, oldest_version }) => (
          <li key={id} className="flex items-baseline gap-2 text-sm">
            <Link to={graphAddress(project.id, id)} className="min-w-0 truncate text-accent-text hover:underline">
              {project.name} / {name}
            </Link>
            <span className="shrink-0 text-xs text-ink-muted">
              {counted(nodes, "node")}
              {oldest_version < template.version ? `, still version ${oldest_version}` : ""}
            </span>
          </li>
        ))}
        {data && data.others > 0 ? (
          <li className="text-sm text-ink-muted">
            {data.workflows.length > 0 ? "And " : ""}
            {counted(data.others, "workflow")} that you may not see
          </li>
        ) : null}
      </ul>
    </div>
  );
}
