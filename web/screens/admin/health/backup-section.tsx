import { DatabaseBackup } from "lucide-react";
import { useState } from "react";

import type { Backup, Health } from "@miranda/contract/schemas/operations/health.ts";

import { isBackingUp, useMakeBackup } from "../../../api/admin/health.ts";
import { fileSize } from "../../../format/file-size.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { SettingsSection } from "../../../ui/form/settings-section.tsx";
import { toastFailure } from "../../../ui/overlay/toast-failure.ts";
import { BarLine } from "../../../ui/progress-bar.tsx";
import { HealthRow } from "./health-row.tsx";

const steps = { files: "Copying files", database: "Copying the database", check: "Reading the archive back" } as const;
const makers = { command: "npm run backup", schedule: "Schedule", person: "A deleted account" } as const;

export function BackupSection({ health }: { health: Health }) {
  const { backup } = health;
  const make = useMakeBackup();
  const [isAsking, setAsking] = useState(false);
  const isRunning = isBackingUp(health);
  const begin = () => {
    setAsking(true);
    toastFailure(make().finally(() => setAsking(false)));
  };
  return (
    <SettingsSection
      title="Backups"
      description="One archive of the database and the files, made while people work, and read back after it is written."
    >
      <div className="flex flex-col gap-4">
        <ul className="-mt-3 border-b border-line">
          <HealthRow label="Last backup" part={backup}>
            {backup.every === null
              ? "No schedule. Set MIRANDA_BACKUP_EVERY to make them regularly."
              : `Every ${everyWords(backup.every)}; the newest ${backup.keep} are kept.`}
          </HealthRow>
        </ul>
        {backup.recent.length > 0 ? (
          <ul aria-label="Backups" className="flex max-h-96 flex-col gap-3 overflow-y-auto">
            {backup.recent.map((one) => (
              <BackupRow key={one.id} backup={one} />
            ))}
          </ul>
        ) : null}
        <p className="text-sm text-ink-muted text-pretty">
          Archives do not contain volumes of containers, files in S3 buckets, or folders of sessions. Back up volumes
          and buckets yourself.
        </p>
        <p className="text-sm text-ink-muted text-pretty wrap-anywhere">
          Archives are in <code className="font-mono text-xs">{backup.folder}</code> on the server. Restore one with{" "}
          <code className="font-mono text-xs">npm run restore</code>.{" "}
          {backup.has_passphrase
            ? "They contain the secret key, sealed with the passphrase of the server's settings."
            : "They do not contain the secret key: keep a copy of it elsewhere, or set MIRANDA_BACKUP_PASSPHRASE."}
        </p>
        <div className="flex justify-end">
          <Button variant="primary" busy={isAsking || isRunning} onClick={begin}>
            {isAsking || isRunning ? null : <DatabaseBackup aria-hidden className="size-4" />}
            {isRunning ? "Backing up" : "Back up now"}
          </Button>
        </div>
      </div>
    </SettingsSection>
  );
}

function BackupRow({ backup }: { backup: Backup }) {
  const { state, file, bytes, made_by, username, step, progress, missing, problem, removed_at } = backup;
  return (
    <li className="text-sm">
      <div className="flex items-baseline justify-between gap-3">
        <span className="min-w-0 truncate font-medium" title={file}>
          {file.split("/").at(-1)}
        </span>
        {state === "DONE" ? (
          <span className="shrink-0 text-ink-muted tabular-nums">
            {removed_at === null ? fileSize(bytes ?? 0) : "Removed"}
          </span>
        ) : (
          <Badge tone={state === "RUNNING" ? "info" : "danger"}>{state === "RUNNING" ? "Running" : "Failed"}</Badge>
        )}
      </div>
      <div className="text-ink-faint">
        <RelativeTime time={backup.started_at} />, {username ?? makers[made_by]}
        {missing > 0 ? `, ${missing} files could not be copied` : null}
      </div>
      {state === "RUNNING" ? (
        <div className="mt-1.5 flex items-center gap-3">
          <BarLine
            bar={{ label: steps[step], done: Math.round(progress * 100), total: 100 }}
            className="h-1.5 flex-1 rounded-full"
          />
          <span className="text-xs text-ink-muted">{steps[step]}</span>
        </div>
      ) : null}
      {problem === null ? null : <div className="text-danger-text text-pretty wrap-anywhere">{problem}</div>}
    </li>
  );
}

function everyWords(milliseconds: number): string {
  const hours = milliseconds / 3_600_000;
  if (hours >= 24 && hours % 24 === 0) return hours === 24 ? "day" : `${hours / 24} days`;
  if (hours >= 1 && Number.isInteger(hours)) return hours === 1 ? "hour" : `${hours} hours`;
  return `${Math.round(milliseconds / 60_000)} minutes`;
}
