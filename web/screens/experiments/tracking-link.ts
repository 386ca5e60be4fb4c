import { experimentsAddress, trackedRunAddress } from "../../api/models/compare.ts";

/** Where a link leads that a client of MLflow printed: the part after its `#`. */
export interface TrackingLink {
  address: string;
  /** The run it names. It has a page of its own if it is a run of a workflow. */
  runId?: string;
}

export function readTrackingLink(projectId: string, hash: string): TrackingLink {
  const [, first, number, kind, id = ""] = hash.replace(/^#/, "").split("?")[0]?.split("/") ?? [];
  if (first === "models") return { address: "/designer/models" };
  if (first !== "experiments" || number === undefined || !/^\d{1,9}$/.test(number))
    return { address: experimentsAddress(projectId) };
  const address = experimentsAddress(projectId, Number(number));
  const digits = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(id);
  if (kind !== "runs" || !digits) return { address };
  return { address: trackedRunAddress(projectId, Number(number), id), runId: digits.slice(1).join("-") };
}
