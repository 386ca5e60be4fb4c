/** The id of a run as clients know it: 32 hexadecimal digits. */
export const toRunId = (uuid: string): string => uuid.replaceAll("-", "");

/** The id of a tracked run. Undefined when it cannot be one. */
export function toUuid(runId: string): string | undefined {
  const match = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(runId);
  return match?.slice(1).join("-");
}
