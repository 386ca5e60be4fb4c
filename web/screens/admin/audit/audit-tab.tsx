import { AuditList } from "../../../shell/audit/audit-list.tsx";

/** Everything that happened in the installation. */
export function AuditTab() {
  return <AuditList scope={undefined} />;
}
