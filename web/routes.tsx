import type { RouteObject } from "react-router";

import { retryScreens } from "./load-part.ts";
import { Root, RootFallback } from "./shell/root.tsx";
import { NotFound, RouterError } from "./shell/failures/router-error.tsx";

const codeIde = () => import("./screens/code-ide/code-ide-screen.tsx").then((m) => ({ Component: m.CodeIdeScreen }));
const processors = () =>
  import("./screens/processors/processors-screen.tsx").then((m) => ({ Component: m.ProcessorsScreen }));

const runs = () => import("./screens/runs/runs-screen.tsx").then((m) => ({ Component: m.RunsScreen }));

const experiments = () =>
  import("./screens/experiments/experiments-screen.tsx").then((m) => ({ Component: m.ExperimentsScreen }));

const runParts: RouteObject[] = [
  {
    index: true,
    lazy: () => import("./screens/runs/one/timeline-view.tsx").then((m) => ({ Component: m.TimelineView })),
  },
  {
    path: "graph",
    lazy: () => import("./screens/graph-editor/run/run-graph.tsx").then((m) => ({ Component: m.RunGraph })),
  },
  {
    path: "metrics",
    lazy: () => import("./screens/runs/one/metrics-view.tsx").then((m) => ({ Component: m.MetricsView })),
  },
  { path: "log", lazy: () => import("./screens/runs/one/log-view.tsx").then((m) => ({ Component: m.LogView })) },
  { path: "files", lazy: () => import("./screens/runs/one/files-view.tsx").then((m) => ({ Component: m.FilesView })) },
  {
    path: "compare/:otherId",
    lazy: () => import("./screens/runs/compare/compare-view.tsx").then((m) => ({ Component: m.CompareView })),
    children: [
      {
        index: true,
        lazy: () => import("./screens/runs/compare/timings.tsx").then((m) => ({ Component: m.Timings })),
      },
      {
        path: "changes",
        lazy: () => import("./screens/graph-editor/run/run-changes.tsx").then((m) => ({ Component: m.RunChanges })),
      },
      {
        path: "outputs",
        lazy: () =>
          import("./screens/runs/compare/compared-outputs.tsx").then((m) => ({ Component: m.ComparedOutputs })),
      },
      {
        path: "packages",
        lazy: () => import("./screens/runs/compare/package-changes.tsx").then((m) => ({ Component: m.PackageChanges })),
      },
    ],
  },
];

const modelParts: RouteObject[] = [
  {
    index: true,
    lazy: () => import("./screens/model/versions/versions-view.tsx").then((m) => ({ Component: m.VersionsView })),
  },
  {
    path: "charts",
    lazy: () => import("./screens/model/charts/charts-view.tsx").then((m) => ({ Component: m.ChartsView })),
  },
  {
    path: "files",
    lazy: () => import("./screens/model/files/files-view.tsx").then((m) => ({ Component: m.FilesView })),
  },
  { path: "use", lazy: () => import("./screens/model/use/use-view.tsx").then((m) => ({ Component: m.UseView })) },
  {
    path: "lineage",
    lazy: () => import("./screens/model/lineage/lineage-view.tsx").then((m) => ({ Component: m.LineageView })),
  },
  {
    path: "compare",
    lazy: () => import("./screens/model/compare/compare-view.tsx").then((m) => ({ Component: m.CompareView })),
    children: [
      {
        index: true,
        lazy: () => import("./screens/model/compare/values-view.tsx").then((m) => ({ Component: m.ValuesView })),
      },
      {
        path: "charts",
        lazy: () =>
          import("./screens/model/compare/compared-charts.tsx").then((m) => ({ Component: m.ComparedCharts })),
      },
      {
        path: "changes",
        lazy: () => import("./screens/graph-editor/run/model-changes.tsx").then((m) => ({ Component: m.ModelChanges })),
      },
      {
        path: "outputs",
        lazy: () => import("./screens/model/compare/outputs-view.tsx").then((m) => ({ Component: m.OutputsView })),
      },
      {
        path: "plots",
        lazy: () => import("./screens/model/compare/plots-view.tsx").then((m) => ({ Component: m.PlotsView })),
      },
    ],
  },
  {
    path: "history",
    lazy: () => import("./screens/model/history/history-view.tsx").then((m) => ({ Component: m.HistoryView })),
  },
];

const designer: RouteObject[] = [
  { index: true, lazy: () => import("./screens/home/home-screen.tsx").then((m) => ({ Component: m.HomeScreen })) },
  {
    path: "new",
    lazy: () => import("./screens/new-project/new-project-screen.tsx").then((m) => ({ Component: m.NewProjectScreen })),
  },
  {
    path: "tour",
    lazy: () => import("./screens/tour/tour-screen.tsx").then((m) => ({ Component: m.TourScreen })),
  },
  {
    path: "browse",
    lazy: () => import("./screens/browse/browse-screen.tsx").then((m) => ({ Component: m.BrowseScreen })),
  },
  {
    path: "projects/:projectId",
    lazy: () => import("./screens/project/project-screen.tsx").then((m) => ({ Component: m.ProjectScreen })),
  },
  {
    path: "projects/:projectId/graphs/new",
    lazy: () =>
      import("./screens/add-workflow/add-workflow-screen.tsx").then((m) => ({ Component: m.AddWorkflowScreen })),
  },
  {
    // One instance around graphs and deployments: navigating between them keeps the providers' state.
    lazy: () => import("./providers/graph-providers.tsx").then((m) => ({ Component: m.GraphProviders })),
    children: [
      {
        path: "projects/:projectId/graphs/:graphId",
        lazy: () =>
          import("./screens/graph-editor/graph-editor-screen.tsx").then((m) => ({ Component: m.GraphEditorScreen })),
      },
      {
        path: "projects/:projectId/graphs/:graphId/history",
        lazy: () =>
          import("./screens/graph-editor/history/history-screen.tsx").then((m) => ({ Component: m.HistoryScreen })),
      },
      {
        path: "projects/:projectId/graphs/:graphId/compare",
        lazy: () =>
          import("./screens/graph-editor/compare/compare-screen.tsx").then((m) => ({ Component: m.CompareScreen })),
      },
      {
        path: "projects/:projectId/graphs/:graphId/merge",
        lazy: () => import("./screens/graph-editor/merge/merge-screen.tsx").then((m) => ({ Component: m.MergeScreen })),
      },
      { path: "projects/:projectId/graphs/:graphId/code", lazy: codeIde },
      { path: "projects/:projectId/graphs/:graphId/code/:wobId", lazy: codeIde },
      { path: "projects/:projectId/graphs/:graphId/code/:wobId/history", lazy: codeIde },
      { path: "projects/:projectId/graphs/:graphId/code/:wobId/history/:commitId", lazy: codeIde },
      {
        path: "projects/:projectId/deployments/:graphId",
        lazy: () =>
          import("./screens/deployment/deployment-screen.tsx").then((m) => ({ Component: m.DeploymentScreen })),
      },
    ],
  },
  {
    path: "comments/:threadId",
    lazy: () => import("./screens/comments/comment-screen.tsx").then((m) => ({ Component: m.CommentScreen })),
  },
  { path: "runs", lazy: runs },
  { path: "projects/:projectId/runs", lazy: runs },
  { path: "projects/:projectId/experiments", lazy: experiments },
  { path: "projects/:projectId/experiments/:number", lazy: experiments },
  {
    path: "projects/:projectId/experiments/:number/runs/:runId",
    lazy: () => import("./screens/experiments/tracked-run-screen.tsx").then((m) => ({ Component: m.TrackedRunScreen })),
  },
  {
    path: "projects/:projectId/experiments/:number/compare",
    lazy: () =>
      import("./screens/experiments/compare-runs-screen.tsx").then((m) => ({ Component: m.CompareRunsScreen })),
  },
  {
    path: "tracking/:projectId",
    lazy: () =>
      import("./screens/experiments/tracking-link-screen.tsx").then((m) => ({ Component: m.TrackingLinkScreen })),
  },
  {
    path: "runs/:runId",
    lazy: () => import("./screens/runs/one/run-screen.tsx").then((m) => ({ Component: m.RunScreen })),
    children: runParts,
  },
  { path: "processors", lazy: processors },
  { path: "processors/:processorId", lazy: processors },
  {
    path: "models",
    lazy: () => import("./screens/models/models-screen.tsx").then((m) => ({ Component: m.ModelsScreen })),
  },
  {
    path: "models/trash",
    lazy: () => import("./screens/models/trash-screen.tsx").then((m) => ({ Component: m.TrashScreen })),
  },
  {
    path: "models/:modelId",
    lazy: () => import("./screens/model/model-screen.tsx").then((m) => ({ Component: m.ModelScreen })),
    children: modelParts,
  },
];

const runApp = () => import("./screens/explorer/app/run-screen.tsx").then((m) => ({ Component: m.RunScreen }));
const linkedApp = () => import("./screens/explorer/public/link-screen.tsx").then((m) => ({ Component: m.LinkScreen }));
const embeddedApp = () =>
  import("./screens/explorer/public/embed-screen.tsx").then((m) => ({ Component: m.EmbedScreen }));

/** The form of an app, and one of its calls. The same screen: the form stays as it is. */
const appRuns: RouteObject[] = [
  { index: true, lazy: runApp },
  { path: "runs/:callId", lazy: runApp },
];

const explorer: RouteObject[] = [
  {
    path: "explorer/apps/:name",
    lazy: () => import("./screens/explorer/app/app-screen.tsx").then((m) => ({ Component: m.AppScreen })),
    children: [
      ...appRuns,
      {
        path: "history",
        lazy: () => import("./screens/explorer/app/history-screen.tsx").then((m) => ({ Component: m.HistoryScreen })),
      },
      {
        path: "api",
        lazy: () => import("./screens/explorer/api/api-screen.tsx").then((m) => ({ Component: m.ApiScreen })),
      },
    ],
  },
  { path: "explorer/links/:link", lazy: linkedApp, children: appRuns },
  {
    path: "explorer/results/:share",
    lazy: () => import("./screens/explorer/public/result-screen.tsx").then((m) => ({ Component: m.ResultScreen })),
  },
  {
    path: "explorer/*",
    lazy: () => import("./screens/explorer/explorer-screen.tsx").then((m) => ({ Component: m.ExplorerScreen })),
  },
  { path: "embed/links/:link", lazy: embeddedApp, children: appRuns },
  { path: "embed/:name", lazy: embeddedApp, children: appRuns },
];

const teams = () => import("./screens/teams/teams-screen.tsx").then((m) => ({ Component: m.TeamsScreen }));

const account: RouteObject[] = [
  { path: "teams", lazy: teams },
  { path: "teams/:teamId", lazy: teams },
  {
    index: true,
    lazy: () => import("./screens/account/account-screen.tsx").then((m) => ({ Component: m.AccountScreen })),
  },
  {
    path: "billing",
    lazy: () => import("./screens/billing/billing-screen.tsx").then((m) => ({ Component: m.BillingScreen })),
  },
  {
    path: "first-start",
    lazy: () => import("./screens/first-start/first-start-screen.tsx").then((m) => ({ Component: m.FirstStartScreen })),
  },
  {
    path: "admin/:tab?/:item?",
    lazy: () => import("./screens/admin/admin-screen.tsx").then((m) => ({ Component: m.AdminScreen })),
  },
];

const handbook: RouteObject = {
  path: "docs",
  lazy: () => import("./screens/handbook/handbook-screen.tsx").then((m) => ({ Component: m.HandbookScreen })),
  children: [
    {
      index: true,
      lazy: () => import("./screens/handbook/handbook-start.tsx").then((m) => ({ Component: m.HandbookStart })),
    },
    {
      path: ":page",
      lazy: () => import("./screens/handbook/handbook-page.tsx").then((m) => ({ Component: m.HandbookPage })),
    },
  ],
};

export const routes: RouteObject[] = retryScreens([
  {
    path: "/",
    Component: Root,
    HydrateFallback: RootFallback,
    ErrorBoundary: RouterError,
    children: [
      {
        index: true,
        lazy: () => import("./screens/welcome/welcome-screen.tsx").then((m) => ({ Component: m.WelcomeScreen })),
      },
      {
        path: "login",
        lazy: () => import("./screens/login/login-screen.tsx").then((m) => ({ Component: m.LoginScreen })),
      },
      {
        path: "login/forgot",
        lazy: () => import("./screens/login/forgot-screen.tsx").then((m) => ({ Component: m.ForgotScreen })),
      },
      {
        path: "confirm/:token",
        lazy: () => import("./screens/confirm/confirm-screen.tsx").then((m) => ({ Component: m.ConfirmScreen })),
      },
      {
        path: "register",
        lazy: () => import("./screens/register/register-screen.tsx").then((m) => ({ Component: m.RegisterScreen })),
      },
      {
        path: "password/:token",
        lazy: () => import("./screens/password/password-screen.tsx").then((m) => ({ Component: m.PasswordScreen })),
      },
      {
        path: "invitation/:token",
        lazy: () =>
          import("./screens/invitation/invitation-screen.tsx").then((m) => ({ Component: m.InvitationScreen })),
      },
      {
        path: "onboarding/*",
        lazy: () =>
          import("./screens/onboarding/onboarding-screen.tsx").then((m) => ({ Component: m.OnboardingScreen })),
      },
      { path: "designer", children: designer },
      ...explorer,
      { path: "account", children: account },
      handbook,
      { path: "*", Component: NotFound },
    ],
  },
]);
