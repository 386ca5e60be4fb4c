import { useHealth } from "../../../api/admin/health.ts";
import { fileSize } from "../../../format/file-size.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { SettingsSection } from "../../../ui/form/settings-section.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { BackupSection } from "./backup-section.tsx";
import { HealthRow } from "./health-row.tsx";

/** Whether the parts of the installation work, and its backups. */
export function HealthTab() {
  const { data: health, error, isFetching, refetch } = useHealth();
  if (!health)
    return error ? (
      <LoadFailure
        title="The health of the installation could not be loaded"
        message={error.message}
        busy={isFetching}
        onRetry={() => void refetch()}
      />
    ) : (
      <LoadingArea />
    );
  const { versions, database, migrations, disk, engine, redis } = health;
  const { connections } = database;
  const usedDisk = 1 - disk.free_bytes / Math.max(1, disk.total_bytes);
  return (
    <div className="flex flex-col gap-10">
      {error ? (
        <p role="alert" className="text-sm text-danger-text">
          The server does not answer: {error.message} What you see is from before.
        </p>
      ) : null}
      <SettingsSection title="Status" description="What Miranda needs to work, as seen from the server that answered.">
        <ul className="-my-3 divide-y divide-line">
          <HealthRow label={database.is_embedded ? "Database (embedded)" : "Database"} part={database}>
            {database.bytes === null ? null : `${fileSize(database.bytes)}, `}
            {connections.open} of {connections.most} connections
          </HealthRow>
          <HealthRow label="Migrations" part={migrations}>
            {migrations.pending.length > 0 ? `${migrations.pending.length} pending` : null}
          </HealthRow>
          <HealthRow label="Disk" part={disk}>
            {fileSize(disk.free_bytes)} of {fileSize(disk.total_bytes)} free ({Math.round(usedDisk * 100)} % used)
          </HealthRow>
          <HealthRow label={`Engine (${engine.name})`} part={engine} />
          <HealthRow label="Redis" part={redis} />
        </ul>
      </SettingsSection>
      <BackupSection health={health} />
      <SettingsSection title="Versions" description="What this server runs with.">
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2 text-sm">
          {[
            ["Miranda", versions.miranda],
            ["Node", versions.node],
            ["PostgreSQL", versions.postgres ?? "unknown"],
            ["Python", versions.python ?? "not found"],
          ].map(([label, value]) => (
            <div key={label} className="contents">
              <dt className="text-ink-muted">{label}</dt>
              <dd className="tabular-nums">{value}</dd>
            </div>
          ))}
          <dt className="text-ink-muted">Started</dt>
          <dd>
            <RelativeTime time={health.started_at} />
          </dd>
        </dl>
      </SettingsSection>
    </div>
  );
}
