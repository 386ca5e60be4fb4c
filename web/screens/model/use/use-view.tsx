import { useQuery } from "@tanstack/react-query";
import { PackageOpen, Plus, Rocket } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";

import {
  downloadSnippet,
  modelUri,
  pythonDownloadSnippet,
  pythonSnippet,
} from "@miranda/contract/call-docs/model-snippets.ts";
import type { ModelVersionDetails } from "@miranda/contract/schemas/models/versions.ts";

import { deploymentAddress } from "../../../api/deployments/deployments.ts";
import { modelVersionQuery } from "../../../api/models/model.ts";
import { CodeBlock } from "../../../panels/code-block.tsx";
import { Button } from "../../../ui/button.tsx";
import { PlainSelect } from "../../../ui/form/plain-select.tsx";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { useOpenModel } from "../open-model.tsx";
import { useChosenVersion } from "../use-chosen-version.ts";
import { VersionPick } from "../version-pick.tsx";
import { DeployModelDialog } from "./deploy-model-dialog.tsx";
import { InsertDialog } from "./insert-dialog.tsx";
import { SignatureTable } from "./signature-table.tsx";

/** How the model is put to work: in Python, as a node, as a deployment, or as plain files. */
export function UseView() {
  const { model } = useOpenModel();
  const [number, choose] = useChosenVersion();
  const version = useQuery({ ...modelVersionQuery(model.id, number), enabled: number > 0 });
  const { data, error } = version;
  return (
    <div className="mx-auto flex w-full max-w-4xl flex-col gap-8 px-4 py-5 sm:px-6">
      {number === 0 ? (
        <EmptyState icon={PackageOpen} title="No version yet">
          As soon as there is one, this page shows how to load it.
        </EmptyState>
      ) : error && !data ? (
        <LoadFailure
          title="The version could not be loaded"
          message={error.message}
          busy={version.isFetching}
          onRetry={() => void version.refetch()}
        />
      ) : data === undefined ? (
        <LoadingArea label="Loading the version" />
      ) : (
        <Ways key={number} version={data} pick={<VersionPick number={number} onPick={choose} />} />
      )}
    </div>
  );
}

function Ways({ version, pick }: { version: ModelVersionDetails; pick: ReactNode }) {
  const { model, mayWrite } = useOpenModel();
  const { number, aliases, loadable, elsewhere } = version;
  const [alias, setAlias] = useState<string | undefined>(aliases[0]);
  const [dialog, setDialog] = useState<"insert" | "deploy" | null>(null);
  const used = {
    origin: location.origin,
    projectId: model.graph.project_id,
    modelId: model.id,
    name: model.name,
    version: number,
    alias,
    signature: version.signature,
  };
  return (
    <>
      <div className="flex flex-col gap-2">
        <div className="flex flex-wrap items-center gap-3">
          {pick}
          {aliases.length > 0 ? (
            <PlainSelect
              label="What the code follows"
              value={alias ?? ""}
              onChange={(value) => setAlias(value === "" ? undefined : value)}
            >
              {aliases.map((one) => (
                <option key={one} value={one}>
                  Follow “{one}”
                </option>
              ))}
              <option value="">Always this version</option>
            </PlainSelect>
          ) : null}
          <code className="rounded-sm bg-sunken px-1.5 py-0.5 font-mono text-sm break-all">
            {oneLine(modelUri(used))}
          </code>
        </div>
        {alias === undefined ? null : (
          <p className="text-sm text-ink-muted">
            The code loads the version that has the alias then. Today this is version {number}.
          </p>
        )}
      </div>
      {elsewhere === null ? null : (
        <p className="rounded-md border border-line bg-sunken px-4 py-3 text-sm">
          The files of this version are at <code className="font-mono break-all">{oneLine(elsewhere)}</code>, not here.
          MLflow’s client loads them from there, with your own access to that place.
        </p>
      )}
      {loadable || elsewhere !== null ? null : (
        <p className="rounded-md border border-line bg-warning-soft px-4 py-3 text-sm text-warning-text">
          {version.files === 0
            ? "This version has no files, only metrics. Log the model itself to load it."
            : "This version has no MLmodel file, so MLflow cannot load it. Its files can be downloaded."}
        </p>
      )}
      {loadable || elsewhere !== null ? (
        <Way title="In Python" text="On your laptop, in a notebook or in a service of your own.">
          <CodeBlock label="Python" text={pythonSnippet(used)} />
          <p className="text-sm text-ink-muted">
            The token is an access token of{" "}
            <Link to="/account" className="text-accent-text underline underline-offset-2">
              your account
            </Link>
            . In a node of this project neither the token nor the address is needed.
          </p>
        </Way>
      ) : null}
      {loadable && mayWrite ? (
        <Way title="In a workflow" text="A node that loads the model once and predicts whatever it receives.">
          <Button className="self-start" onClick={() => setDialog("insert")}>
            <Plus className="size-4" aria-hidden="true" />
            Insert as a node
          </Button>
        </Way>
      ) : null}
      {loadable && mayWrite ? (
        <Way
          title="As an app and an API"
          text="A form that asks for the inputs below, and an address that programs call."
        >
          <Button className="self-start" onClick={() => setDialog("deploy")}>
            <Rocket className="size-4" aria-hidden="true" />
            Deploy this version
          </Button>
          {model.deployments.length > 0 ? (
            <p className="text-sm text-ink-muted">
              In use by{" "}
              {model.deployments.map(({ id, title, graph_id, project_id }, at) => (
                <span key={id}>
                  {at > 0 ? ", " : ""}
                  <Link
                    to={deploymentAddress(project_id, graph_id)}
                    className="text-accent-text underline underline-offset-2"
                  >
                    {oneLine(title)}
                  </Link>
                </span>
              ))}
              .
            </p>
          ) : null}
        </Way>
      ) : null}
      {version.signature ? (
        <Way title="Inputs and outputs" text="As they were when the model was logged.">
          <SignatureTable signature={version.signature} />
        </Way>
      ) : null}
      {version.files > 0 ? (
        <Way title="As files" text="Without any client: all files as one zip.">
          <CodeBlock label="Shell" text={downloadSnippet(used)} />
          <CodeBlock label="Python without packages" text={pythonDownloadSnippet(used)} />
        </Way>
      ) : null}
      {dialog === "insert" ? <InsertDialog version={version} alias={alias} onClose={() => setDialog(null)} /> : null}
      {dialog === "deploy" ? (
        <DeployModelDialog version={version} alias={alias} onClose={() => setDialog(null)} />
      ) : null}
    </>
  );
}

function Way({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-3">
      <div>
        <h2 className="text-lg font-semibold">{title}</h2>
        <p className="text-ink-muted">{text}</p>
      </div>
      {children}
    </section>
  );
}
