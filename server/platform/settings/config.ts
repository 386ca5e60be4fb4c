import { resolve } from "node:path";
import { z } from "zod";

import { hostNameOf } from "../http/allowed-hosts.ts";
import { quotaEnvironment, type Quotas, toQuotas } from "../limits/quota-settings.ts";
import { artifactEnvironment, type ArtifactSettings, toArtifactSettings } from "./artifact-settings.ts";
import { type FirstAnswers, firstAnswersEnvironment, toFirstAnswers } from "./first-answers-settings.ts";
import { auditStreamEnvironment } from "./audit-stream-settings.ts";
import { Flag } from "./flag.ts";
import { mailEnvironment, type MailSettings, toMailSettings } from "./mail-settings.ts";
import { providerEnvironment, type ProviderSettings, toProviderSettings } from "./provider-settings.ts";
import { type BackupSettings, operationsEnvironment, toBackupSettings } from "./operations-settings.ts";
import { processorEnvironment, type ProcessorSettings, toProcessorSettings } from "./processor-settings.ts";
import { runEnvironment, type RunSettings, toRunSettings } from "./run-settings.ts";
import { StartupError } from "../errors/startup-error.ts";
import { refuseUnknown, wrongSetting } from "./wrong-setting.ts";

const Hosts = z
  .string()
  .default("")
  .transform((text) =>
    text
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean),
  )
  .refine(
    (hosts) => hosts.every((host) => hostNameOf(host) !== undefined),
    "host names without http:// and without paths",
  );

const Environment = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(4600),
  HOST: z.string().min(1).default("127.0.0.1"),
  MIRANDA_DATA: z.string().min(1).default("./data"),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  DATABASE_POOL: z.coerce.number().int().min(2).max(200).default(20),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  MIRANDA_HOSTS: Hosts,
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  MIRANDA_TRUST_PROXY: Flag.default(false),
  MIRANDA_DEV: Flag.default(false),
  MIRANDA_REQUEST_SECONDS: z.coerce.number().min(1).max(86_400).default(300),
  MIRANDA_PRESENCE_SECONDS: z.coerce.number().min(0.1).max(3_600).default(45),
  MIRANDA_SOCKETS_PER_ACCOUNT: z.coerce.number().int().min(1).max(10_000).default(250),
  MIRANDA_REGISTRATIONS_PER_HOUR: z.coerce.number().int().min(1).default(600),
  MIRANDA_SECRET_KEY: z.string().min(16).optional(),
  MIRANDA_SECRET_KEY_OLD: z.string().min(16).optional(),
  MIRANDA_CURRENCY: z.string().trim().min(1).max(8).default("$"),
  MIRANDA_PROCESSOR_HOST: z.url({ protocol: /^https?$/ }).optional(),
  MIRANDA_DOCS_URL: z.url({ protocol: /^https?$/ }).optional(),
  MIRANDA_WEBHOOK_PRIVATE: Flag.default(false),
  MIRANDA_LANGUAGE_SERVERS: z.coerce.number().int().min(0).max(1_000).default(4),
  MIRANDA_LANGUAGE_MB: z.coerce.number().int().min(128).max(65_536).default(512),
  MIRANDA_LANGUAGE_IDLE_SECONDS: z.coerce.number().min(0.1).max(86_400).default(300),
  ...firstAnswersEnvironment,
  ...quotaEnvironment,
  ...processorEnvironment,
  ...runEnvironment,
  ...artifactEnvironment,
  ...mailEnvironment,
  ...providerEnvironment,
  ...operationsEnvironment,
  ...auditStreamEnvironment,
});

export const settingNames = Object.keys(Environment.shape);

export interface Config {
  port: number;
  host: string;
  dataFolder: string;
  databaseUrl: string | undefined;
  databasePool: number;
  /** The Redis of several servers on one database. */
  redisUrl: string | undefined;
  publicUrl: string | undefined;
  /** PUBLIC_URL says it, and no administrator can change it. */
  publicUrlIsFixed: boolean;
  /** Host names to answer to, besides that of publicUrl. */
  hosts: string[];
  logLevel: z.infer<typeof Environment>["LOG_LEVEL"];
  trustProxy: boolean;
  /** The client comes from Vite's own server, so it is not built here. */
  development: boolean;
  registrationsPerHour: number;
  /** How long a request may take to arrive, with its body. In milliseconds. */
  requestTimeout: number;
  /** How long somebody is shown in a graph after the last sign of life. */
  presenceExpiry: number;
  /** How many open connections an account may have at this server. */
  socketsPerAccount: number;
  /** The key that encrypts secrets. Without it: a key in the data folder. */
  secretKey: string | undefined;
  /** Only opens what was sealed with it, until `npm run rotate-key` has sealed it again. */
  secretKeyOld: string | undefined;
  /** The sign before every amount. */
  currency: string;
  /** Where people look at running containers. Without it: in Miranda itself. */
  processorHost: string | undefined;
  /** Where the documentation is. Without it: in Miranda itself, at /docs. */
  docsUrl: string | undefined;
  /** Whether webhooks may call private addresses, such as this machine. */
  webhookPrivate: boolean;
  /** What the operator answered before the first start. */
  firstAnswers: FirstAnswers;
  quotas: Quotas;
  processors: ProcessorSettings;
  runs: RunSettings;
  artifacts: ArtifactSettings;
  backups: BackupSettings;
  /** What a program must send to read /metrics. Without it there is no such page. */
  metricsToken: string | undefined;
  /** Where records of the audit log are written to. */
  auditStream: string | undefined;
  language: LanguageSettings;
  /** Without it no mails are sent, and nothing is offered that needs them. */
  mail: MailSettings | undefined;
  /** OpenID Connect providers that people can sign in with. */
  providers: ProviderSettings[];
}

export interface LanguageSettings {
  /** How many workflows have language help at once; 0 turns it off. */
  most: number;
  /** The heap of each. */
  memoryMb: number;
  /** Ended after this time without a question. */
  idle: number;
}

export function readConfig(environment: NodeJS.ProcessEnv): Config {
  // An empty variable is how compose files and shells spell "not set".
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  refuseUnknown(given, settingNames);
  const parsed = Environment.safeParse(given);
  if (!parsed.success) throw wrongSetting(Environment, parsed.error.issues[0], given);
  const value = parsed.data;
  if (value.REDIS_URL && !value.DATABASE_URL)
    throw new StartupError("REDIS_URL is for several servers on one database: DATABASE_URL must name it.");
  if (value.REDIS_URL && !value.MIRANDA_SECRET_KEY)
    throw new StartupError(
      "With REDIS_URL, MIRANDA_SECRET_KEY must be set, the same for every server, or one could not read the secrets of another.",
    );
  return {
    port: value.PORT,
    host: value.HOST,
    dataFolder: resolve(value.MIRANDA_DATA),
    databaseUrl: value.DATABASE_URL,
    databasePool: value.DATABASE_POOL,
    redisUrl: value.REDIS_URL,
    publicUrl: value.PUBLIC_URL,
    publicUrlIsFixed: value.PUBLIC_URL !== undefined,
    hosts: value.MIRANDA_HOSTS,
    logLevel: value.LOG_LEVEL,
    trustProxy: value.MIRANDA_TRUST_PROXY,
    development: value.MIRANDA_DEV,
    registrationsPerHour: value.MIRANDA_REGISTRATIONS_PER_HOUR,
    requestTimeout: value.MIRANDA_REQUEST_SECONDS * 1000,
    presenceExpiry: value.MIRANDA_PRESENCE_SECONDS * 1000,
    socketsPerAccount: value.MIRANDA_SOCKETS_PER_ACCOUNT,
    secretKey: value.MIRANDA_SECRET_KEY,
    secretKeyOld: value.MIRANDA_SECRET_KEY_OLD,
    currency: value.MIRANDA_CURRENCY,
    processorHost: value.MIRANDA_PROCESSOR_HOST,
    docsUrl: value.MIRANDA_DOCS_URL,
    webhookPrivate: value.MIRANDA_WEBHOOK_PRIVATE,
    firstAnswers: toFirstAnswers(value),
    quotas: toQuotas(value),
    processors: toProcessorSettings(value),
    runs: toRunSettings(value),
    artifacts: toArtifactSettings(value),
    mail: toMailSettings(value, value.PUBLIC_URL),
    providers: toProviderSettings(value.MIRANDA_OIDC_PROVIDERS, value.PUBLIC_URL),
    backups: toBackupSettings(value),
    metricsToken: value.MIRANDA_METRICS_TOKEN,
    auditStream: value.MIRANDA_AUDIT_STREAM,
    language: {
      most: value.MIRANDA_LANGUAGE_SERVERS,
      memoryMb: value.MIRANDA_LANGUAGE_MB,
      idle: value.MIRANDA_LANGUAGE_IDLE_SECONDS * 1000,
    },
  };
}
