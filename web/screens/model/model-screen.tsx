import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Outlet, useParams } from "react-router";

import { HttpError } from "../../api/http.ts";
import { modelQuery } from "../../api/models/model.ts";
import { useTopBar } from "../../shell/top-bar-context.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { MissingModel } from "./missing-model.tsx";
import { ModelHeader } from "./model-header.tsx";
import { type OpenModel, OpenModelProvider } from "./open-model.tsx";

/** A model: its versions, how they compare, where they came from and how they are used. Its parts have their own addresses. */
export function ModelScreen() {
  const { modelId = "" } = useParams();
  return <OneModel key={modelId} modelId={modelId} />;
}

function OneModel({ modelId }: { modelId: string }) {
  const { data: model, error, isFetching, refetch } = useQuery(modelQuery(modelId));
  useTopBar({ back: "/designer/models", project: model?.project_name, graph: model?.name });
  const open = useMemo((): OpenModel | undefined => model && { model, mayWrite: model.access !== "viewer" }, [model]);
  if (!open && error instanceof HttpError && (error.status === 404 || error.status === 400))
    return <MissingModel modelId={modelId} />;
  if (!open && error)
    return (
      <div className="mx-auto w-full max-w-xl px-4 py-16">
        <LoadFailure
          title="The model could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      </div>
    );
  if (!open) return <LoadingArea label="Loading the model" />;
  return (
    <OpenModelProvider open={open}>
      <div className="flex min-h-(--below-bar) flex-col" data-testid="model-page">
        <ModelHeader />
        <Outlet />
      </div>
    </OpenModelProvider>
  );
}
