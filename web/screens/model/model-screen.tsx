import { useQuery } from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import { useMemo } from "react";
import { Link, Outlet, useParams } from "react-router";

import { HttpError } from "../../api/http.ts";
import { modelQuery } from "../../api/models/model.ts";
import { useTopBar } from "../../shell/top-bar-context.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
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
  if (!open && error instanceof HttpError && (error.status === 404 || error.status === 400)) return <Missing />;
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

function Missing() {
  return (
    <div className="mx-auto w-full max-w-2xl px-4 py-16">
      <EmptyState
        icon={SearchX}
        title="Model not found"
        action={
          <Link to="/designer/models" className={buttonClasses()}>
            All models
          </Link>
        }
      >
        It was deleted, or you may not read its project.
      </EmptyState>
    </div>
  );
}
