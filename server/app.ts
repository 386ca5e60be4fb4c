import { session } from "@miranda/contract/limits.ts";

import { webhookCalls } from "./limits.ts";

import { installAdministration } from "./features/administration/administration-feature.ts";
import { accountDeletionRoutes } from "./features/account-deletion/account-deletion-routes.ts";
import { createAccountDeletions } from "./features/account-deletion/account-deletion-service.ts";
import { installRuntimeAdministration } from "./features/administration/runtime-administration.ts";
import { createArtifacts } from "./features/artifacts/artifacts-service.ts";
import { createBucketStore } from "./features/artifacts/buckets/bucket-store.ts";
import { artifactBucketRoutes } from "./features/artifacts/buckets/buckets-routes.ts";
import { createArtifactBuckets } from "./features/artifacts/buckets/buckets-service.ts";
import { createEmails } from "./features/auth/email/email-service.ts";
import { installSignIn } from "./features/auth/sign-in-feature.ts";
import { installAudit } from "./features/audit/audit-feature.ts";
import { installTokens } from "./features/auth/tokens-feature.ts";
import { createAuth } from "./features/auth/auth-service.ts";
import { createPasswordLinks } from "./features/auth/password-links/password-links-service.ts";
import { installBilling } from "./features/billing/billing-feature.ts";
import { createEmbedding } from "./features/call-api/embedding-queries.ts";
import { installCallApi } from "./features/call-api/call-api-feature.ts";
import { mcpRoutes } from "./features/mcp/mcp-routes.ts";
import { createMcp } from "./features/mcp/mcp-service.ts";
import { codeRoutes } from "./features/code/code-routes.ts";
import { createCode } from "./features/code/code-service.ts";
import { codeEvents } from "./features/code/code-socket.ts";
import { createDocuments } from "./features/code/documents-service.ts";
import { createRunCode } from "./features/code/run-code-service.ts";
import { createGit } from "./features/git/git-service.ts";
import { graphRoutes } from "./features/graphs/graphs-routes.ts";
import { createGraphs } from "./features/graphs/graphs-service.ts";
import { createDeclarations } from "./features/declarations/declarations-service.ts";
import { createLanguage } from "./features/language/language-service.ts";
import { languageEvents } from "./features/language/language-socket.ts";
import { batchRoutes } from "./features/nodes/batch-routes.ts";
import { createBatch } from "./features/nodes/batch-service.ts";
import { createEdges } from "./features/nodes/edges-service.ts";
import { createGraphChanges } from "./features/nodes/graph-changes-service.ts";
import { createGroups } from "./features/nodes/groups-service.ts";
import { fileRoutes } from "./features/nodes/files-routes.ts";
import { createNodeFiles } from "./features/nodes/files-service.ts";
import { nodeRoutes } from "./features/nodes/nodes-routes.ts";
import { createNodes } from "./features/nodes/nodes-service.ts";
import { mergeRoutes } from "./features/merges/merges-routes.ts";
import { createMerges } from "./features/merges/merges-service.ts";
import { registryRoutes } from "./features/mlflow/registry/registry-feature.ts";
import { installModels } from "./features/models/models-feature.ts";
import { removeTrashed } from "./features/tracking/old-tracked-runs-queries.ts";
import { createJobCallers } from "./features/tracking/job-callers.ts";
import { installMlflow } from "./features/mlflow/mlflow-feature.ts";
import { deploymentRoutes, deploymentSessionRoutes } from "./features/deployments/deployments-routes.ts";
import { appRoutes } from "./features/deployments/gallery/apps-routes.ts";
import { createApps } from "./features/deployments/gallery/apps-service.ts";
import { createDeploymentTokens } from "./features/deployments/sharing/deployment-tokens-service.ts";
import { sharingRoutes } from "./features/deployments/sharing/sharing-routes.ts";
import { createSharing } from "./features/deployments/sharing/sharing-service.ts";
import { installSchedules } from "./features/schedules/schedules-feature.ts";
import { createDeployments } from "./features/deployments/deployments-service.ts";
import { installOperations } from "./features/operations/operations-feature.ts";
import { installProcessors } from "./features/processors/processors-feature.ts";
import { createOldRuns } from "./features/runs/old-runs-service.ts";
import { runMetricRoutes } from "./features/runs/run-metrics-routes.ts";
import { createRunMetrics } from "./features/runs/run-metrics-service.ts";
import { createLiveMetrics } from "./features/runs/live-metrics.ts";
import { createRunRecords } from "./features/runs/run-records-service.ts";
import { runRoutes } from "./features/runs/runs-routes.ts";
import { createRuns } from "./features/runs/runs-service.ts";
import { resultRoutes } from "./features/results/results-routes.ts";
import { createResults } from "./features/results/results-service.ts";
import { settingsRoutes } from "./features/settings/settings-routes.ts";
import { sampleRoutes } from "./features/samples/samples-routes.ts";
import { createSamples } from "./features/samples/samples-service.ts";
import { secretRoutes } from "./features/secrets/secrets-routes.ts";
import { createSecrets } from "./features/secrets/secrets-service.ts";
import { searchRoutes } from "./features/search/search-routes.ts";
import { createSearch } from "./features/search/search-service.ts";
import { installPeople } from "./features/projects/people-feature.ts";
import { createProjects } from "./features/projects/projects-service.ts";
import { notebookRoutes } from "./features/notebooks/notebooks-routes.ts";
import { createNotebooks } from "./features/notebooks/notebooks-service.ts";
import { commentRoutes } from "./features/comments/comments-routes.ts";
import { createComments } from "./features/comments/comments-service.ts";
import { lastChangeRoutes } from "./features/last-changes/last-changes-routes.ts";
import { createLastChanges } from "./features/last-changes/last-changes-service.ts";
import { notificationRoutes } from "./features/notifications/notifications-routes.ts";
import { createNotificationsFeature } from "./features/notifications/notifications-service.ts";
import { createRunNews } from "./features/run-news/run-news-service.ts";
import { createWebhookDeliveries } from "./features/webhooks/webhook-deliveries-service.ts";
import { webhookRoutes } from "./features/webhooks/webhooks-routes.ts";
import { createWebhooks } from "./features/webhooks/webhooks-service.ts";
import { realtimeRoutes } from "./features/realtime/realtime-routes.ts";
import { createRealtime } from "./features/realtime/realtime-service.ts";
import { templateRoutes } from "./features/templates/templates-routes.ts";
import { createTemplateLinks } from "./features/templates/template-links-service.ts";
import { templateVersionRoutes } from "./features/templates/template-versions-routes.ts";
import { createTemplateVersions } from "./features/templates/template-versions-service.ts";
import { createTemplates } from "./features/templates/templates-service.ts";
import { createAutomaticVersions } from "./features/versions/automatic-versions.ts";
import { createReplaceContent } from "./features/versions/replace-content.ts";
import { createVersionRoom } from "./features/versions/store/version-room.ts";
import { createRunVersions } from "./features/versions/run-versions.ts";
import { createVersionStore } from "./features/versions/version-store.ts";
import { versionRoutes } from "./features/versions/versions-routes.ts";
import { createVersions } from "./features/versions/versions-service.ts";
import { workflowFileRoutes } from "./features/workflow-files/workflow-files-routes.ts";
import { createWorkflowFiles } from "./features/workflow-files/workflow-files-service.ts";
import { openEngine } from "./engines/open-engine.ts";
import type { Sandbox } from "./engines/sandbox/sandbox.ts";
import { installApiDocs } from "./platform/http/api-docs.ts";
import { createRateLimits } from "./platform/limits/rate-limits.ts";
import { installCallers } from "./platform/http/caller.ts";
import type { Config } from "./platform/settings/config.ts";
import { type Database, installationOf } from "./platform/database/database.ts";
import { installFullDisk } from "./platform/limits/full-disk.ts";
import { installOverload } from "./platform/limits/overload.ts";
import { createWorkShares } from "./platform/limits/work-shares.ts";
import { createBackgroundWork } from "./platform/background-work.ts";
import { openCipher, openKeys } from "./platform/cipher.ts";
import { createMail } from "./platform/mail/mail.ts";
import type { Redis } from "./platform/redis.ts";
import { createInstallation } from "./platform/installation/installation.ts";
import { readFirstAnswers } from "./platform/installation/first-answers.ts";
import { createNotifications } from "./platform/database/pg-notifications.ts";
import { reportFaultsTo } from "./platform/errors/safely.ts";
import { startHousekeeping } from "./platform/housekeeping.ts";
import { installHealth } from "./platform/http/health.ts";
import { createHttp, type Http } from "./platform/http/http-server.ts";
import { ownUrl } from "./platform/own-url.ts";
import { createRequestMetrics } from "./platform/metrics/request-metrics.ts";
import { installWebClient } from "./platform/web-client/web-client.ts";
import { version } from "./platform/version.ts";

/** Wires every feature by hand. */
export async function createApp(
  given: Config,
  database: Database,
  webFolder: string,
  { redis, sandbox }: { redis?: Redis | undefined; sandbox?: Promise<Sandbox> | undefined } = {},
): Promise<Http> {
  const { db, pool } = database;
  const config = await readFirstAnswers(db, given);
  const http = await createHttp(config);
  installOverload(http, database.waitsFor);
  const requests = config.metricsToken === undefined ? undefined : createRequestMetrics(http);

  const rateLimits = createRateLimits(db);
  const { presenceExpiry, socketsPerAccount, quotas, registrationsPerHour, publicUrl, currency } = config;
  const installation = createInstallation(db);
  reportFaultsTo((error) => http.log.error({ err: error }, "a listener failed"));
  const reportBackground = (error: unknown): void => http.log.error({ err: error }, "background work failed");
  const background = createBackgroundWork(reportBackground);
  const cipher = await openCipher(config.dataFolder, config.secretKey, config.secretKeyOld);
  const mail = createMail({ settings: config.mail, publicUrl, db, cipher, rateLimits, report: reportBackground });
  const emails = createEmails({ db, mail, rateLimits, report: reportBackground });
  const auth = createAuth({ db, installation, rateLimits, registrationsPerHour, quotas, emails });
  const passwordLinks = createPasswordLinks({ db, rateLimits });
  const projects = createProjects({ db, auth, quotas, background });
  const shared = redis && { redis, prefix: `miranda:${await installationOf(pool)}` };
  const realtime = createRealtime({
    ...{ http, db, auth, projects, presenceExpiry, socketsPerAccount, shared },
    hostSettings: config,
  });
  const graphs = createGraphs({ db, projects, realtime, quotas });
  const declarations = createDeclarations();
  const changes = createGraphChanges({ db, realtime });
  const nodes = createNodes({ db, graphs, changes, declarations });
  const files = createNodeFiles({ db, nodes, quotas });
  const edges = createEdges({ nodes, changes, room: graphs.room });
  const batch = createBatch({ db, graphs, nodes, changes, links: createTemplateLinks({ db }) });
  const groups = createGroups({ graphs, changes });
  const report = (error: unknown): void => http.log.error({ err: error }, "code failed");
  const documents = createDocuments({ db, realtime, report });
  const code = createCode({ db, graphs, nodes, declarations, documents });
  realtime.extend(codeEvents({ documents, nodes }));
  const language = createLanguage({ settings: config.language, dataFolder: config.dataFolder, environmentOf, report });
  realtime.extend(languageEvents({ language, documents, report }));
  const store = createVersionStore(db);
  const announce = (graphId: string) => realtime.publish(graphId, "update[VERSIONS]", { graph_id: graphId });
  const room = createVersionRoom({ db, quotas, announce });
  const automatic = createAutomaticVersions({ db, store, room, announce });
  graphs.onClone(automatic.rememberClone, room.makeRoom);
  const runRecords = createRunRecords({ db, realtime, report: reportBackground });
  const { listUnversioned, linkVersion: link } = runRecords;
  const runVersions = createRunVersions({ automatic, listUnversioned, link, report: reportBackground });
  const replaceContent = createReplaceContent({ graphs, declarations });
  const versions = createVersions({
    ...{ db, graphs, changes, code, declarations, store, automatic, room, replaceContent, announce },
  });
  const templates = createTemplates({ db, graphs, nodes, batch, quotas });
  await templates.seed();

  const secrets = createSecrets({ db, cipher, projects, graphs, quotas });
  const deployments = createDeployments({ db, auth, projects, graphs, versions, realtime });
  const pgNotifications = createNotifications(pool, (error) =>
    http.log.error({ err: error }, "notifications of the database failed"),
  );
  const { processors: settings, dataFolder } = config;
  const engine = await openEngine(settings, {
    dataFolder,
    installation: await installationOf(pool),
    address: () => ownUrl(http),
    log: (line) => http.log.info(line),
    ...{ host: config.host, begunSandbox: sandbox },
  });
  if (config.logLevel !== "silent")
    for (const { message } of engine.warnings) process.stderr.write(`Warning: ${message}\n`);

  // We cannot see the disk of an external database.
  const databaseFolder = config.databaseUrl ? undefined : dataFolder;
  const { hasRoom: hasDiskRoom, ...fullDisk } = installFullDisk(http, databaseFolder, settings.diskReserveBytes);
  const warnings = async () => [...engine.warnings, ...auditStream.warnings(), ...(await fullDisk.warnings())];
  const deploymentTokens = createDeploymentTokens({ db, deployments });
  const jobCallers = createJobCallers({ db });
  const authenticate: typeof auth.authenticate = (given) => {
    const special = [deploymentTokens, jobCallers].find(({ isToken }) => given.bearer && isToken(given.bearer));
    return special && given.bearer ? special.authenticate(given.bearer) : auth.authenticate(given);
  };
  installCallers(http, session.cookie, authenticate, quotas);
  await installApiDocs(http, version);
  installHealth(http, pool, hasDiskRoom);
  const notifications = createNotificationsFeature({ db, realtime });
  const signIn = installSignIn({
    ...{ http, db, cipher, rateLimits, installation, auth, emails, passwordLinks, config, notifications },
  });
  const auditStream = installAudit({ http, db, projects, config, report: reportBackground });
  installTokens({ http, db, auth, projects, deployments });
  graphRoutes(http, graphs);
  nodeRoutes(http, { nodes, edges, batch, projects });
  fileRoutes(http, files);
  batchRoutes(http, batch, groups);
  codeRoutes(http, code);
  const share = createWorkShares();
  versionRoutes(http, versions, share);
  mergeRoutes(http, createMerges({ db, graphs, changes, versions }), share);
  const workflowFiles = createWorkflowFiles({ graphs, versions, changes, declarations, files, sdk: version });
  workflowFileRoutes(http, workflowFiles, share);
  notebookRoutes(http, createNotebooks({ graphs, declarations }));
  templateRoutes(http, templates);
  sampleRoutes(http, createSamples({ db, projects, graphs, templates }));
  templateVersionRoutes(http, createTemplateVersions({ db, templates, nodes, projects }));
  secretRoutes(http, secrets);
  deploymentRoutes(http, deployments);
  const sharing = createSharing({ db, cipher, deployments, publicUrl: config.publicUrl });
  appRoutes(http, createApps({ db, deployments }));
  sharingRoutes(http, { tokens: deploymentTokens, sharing });
  settingsRoutes(http, config, { db, installation, warnings, signIn: signIn.offered });
  realtimeRoutes(http, realtime);
  const { diskReserveBytes } = settings;
  const buckets = createBucketStore({ db, cipher, allowsPrivate: config.artifacts.privateBuckets });
  artifactBucketRoutes(http, createArtifactBuckets({ db, cipher, projects, store: buckets }));
  const artifacts = createArtifacts({ db, dataFolder, buckets, settings: { ...config.artifacts, diskReserveBytes } });
  const liveMetrics = createLiveMetrics({ db, publish: realtime.publish, report: reportBackground });
  const onMetrics = liveMetrics.add;
  const registry = { db, artifacts, publicUrl: config.publicUrl };
  installMlflow({ http, db, projects, onMetrics, more: (scope) => registryRoutes(scope, registry) });
  const results = createResults({ db, graphs, dataFolder, settings });
  resultRoutes(http, results);
  async function environmentOf(graphId: string) {
    if (!engine.environmentsFolder) return undefined;
    const projectId = await graphs.projectOf(graphId);
    return projectId === undefined ? undefined : { name: projectId, folder: engine.environmentsFolder(projectId) };
  }
  const onSetUp = (graphId: string) => void language.refresh(graphId).catch(report);
  const git = createGit({ db, auth, nodes, code });
  const runCode = createRunCode({ db, nodes, declarations, documents, graphs });
  const { add: onRun, room: roomForVersion } = runVersions;
  const recording = { runs: runRecords, onRun, roomForVersion, versionForRun: versions.forRun };
  const parts = { auth, graphs, git, newerCode: templates.newerCode, runCode, secrets, files, realtime, onSetUp };
  notificationRoutes(http, notifications);
  commentRoutes(
    http,
    createComments({ db, projects, graphs, realtime, notifications, rateLimits, report: reportBackground }),
  );
  lastChangeRoutes(http, createLastChanges({ db, nodes }));
  const people = installPeople({
    ...{ http, db, auth, projects, deployments, notifications, rateLimits, mail, quotas, installation },
    report: reportBackground,
  });
  const sending = { allowsPrivate: config.webhookPrivate, timeout: webhookCalls.timeout };
  const webhooks = createWebhooks({ db, cipher, projects, sending });
  webhookRoutes(http, webhooks);
  const deliveries = createWebhookDeliveries({ db, cipher, notifications, sending, report: reportBackground });
  const news = createRunNews({
    ...{ db, projects, notifications, webhooks: deliveries, report: reportBackground, publicUrl, currency },
  });
  runRecords.onEnd(news.wake);
  runRecords.onSettled(news.wake);
  const {
    monthBudgets,
    purses,
    news: budgetNews,
  } = installBilling({
    ...{ http, db, projects, graphs, notifications, prices: settings.prices, report: reportBackground },
    ...{ sendsMails: mail.configured, currency },
  });
  const sessions = await installProcessors({
    http,
    db,
    engine,
    notifications: pgNotifications,
    cipher,
    ...parts,
    ...recording,
    projects,
    onBudgetAsked: news.wake,
    onBudgetWarned: budgetNews.wake,
    monthBudgets,
    purses,
    ...{ settings, hasDiskRoom, results, currency, version },
  });
  const oldRuns = createOldRuns(db, config.runs);
  runRecords.onEnd(({ graph }) => void oldRuns.trimNow(graph.project_id).catch(reportBackground));
  const runs = createRuns({ db, projects, graphs, versions, realtime, readLog: sessions.readLog });
  runRoutes(http, runs);
  searchRoutes(http, createSearch({ db, projects, graphs, runs }));
  const models = installModels({
    ...{ http, db, projects, graphs, nodes, code, runs, versions, notifications, webhooks: deliveries },
    ...{ artifacts, currency, publicUrl, report: reportBackground },
    trashDays: config.artifacts.trashDays,
  });
  const folderChores = installRuntimeAdministration({
    ...{ http, db, settings, dataFolder, sessions, notifications, trash: models.trash, artifacts, results },
    ...{ folders: engine.folders, report: reportBackground },
  });
  runMetricRoutes(http, createRunMetrics({ db, runs }));
  accountDeletionRoutes(
    http,
    createAccountDeletions({ db, auth, projects, sessions, notifications, background, report: reportBackground }),
  );
  installAdministration({ http, db, installation, config, passwordLinks, sessions });
  const { calls, barsOf } = sessions;
  deployments.onChange(sessions.deploymentChanged);
  deploymentSessionRoutes(http, deployments, sessions.ofDeployment);
  const callApi = installCallApi({
    ...{ http, db, cipher, deployments, projects, calls, files, notifications, barsOf },
    ...{ readLog: sessions.readLog, publicUrl: config.publicUrl },
  });
  mcpRoutes(http, { mcp: createMcp({ db, api: callApi, calls }), version, report: reportBackground });
  const schedules = installSchedules({
    ...{ http, db, auth, projects, deployments, calls, callApi, files, realtime },
    ...{ notifications, report: reportBackground },
  });
  runRecords.onEnd(schedules.wake);
  const operations = installOperations({
    ...{ http, database, config, requests, engine, redis, sockets: realtime.connections, report: reportBackground },
    keys: await openKeys(config),
  });
  await installWebClient(http, { folder: webFolder, framedBy: createEmbedding(db) });

  const chores = {
    "expired sign-ins": auth.sweep,
    "links in mails": signIn.sweep,
    "temporary secrets": secrets.sweep,
    "deleted nodes": () => nodes.sweep(code.forget),
    drafts: code.sweep,
    "versions of runs": runVersions.recover,
    "hours of work": automatic.keepHours,
    "old versions": automatic.sweep,
    "unused files": files.sweep,
    "old sessions": sessions.removeOld,
    "old runs": oldRuns.remove,
    "outputs of runs": oldRuns.trimAll,
    "unknown results": results.sweep,
    "deleted runs": () => removeTrashed(db, config.artifacts.trashDays),
    "unused artefacts": artifacts.sweep,
    "old notifications": notifications.sweep,
    "old invitations": people.sweep,
    "calls of webhooks": webhooks.sweep,
    "ticks of schedules": schedules.sweep,
    "deleted models": models.sweep,
    ...folderChores,
  };
  let housekeeping: ReturnType<typeof startHousekeeping> | undefined;
  http.addHook("onListen", async () => {
    housekeeping = startHousekeeping({ chores, report: (error, what) => http.log.error({ err: error }, what) });
    for (const one of [background, news, budgetNews, models, deliveries]) one.start();
    for (const one of [schedules, mail, operations, auditStream]) one.start();
  });
  http.addHook("onClose", async () => {
    for (const one of [operations, auditStream, housekeeping, background, news, budgetNews]) await one?.close();
    for (const one of [models, deliveries, schedules, emails, mail]) await one.close();
    await runVersions.idle();
    language.end();
    await documents.close();
    declarations.close();
    await artifacts.close();
    buckets.close();
  });
  return http;
}
