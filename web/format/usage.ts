import { sessions, usageBar } from "@miranda/contract/limits.ts";

/** Rounded down: a person must not read more than was used. */
export function floorTo2(value: number): number {
  const hundredths = value * 100;
  // 1.15 * 100 is 114.99999999999999, so a value with two decimals needs this to keep them.
  const nearest = Math.round(hundredths) / 100;
  if (nearest === value || !Number.isFinite(hundredths)) return value;
  return Math.floor(hundredths) / 100;
}

export interface UsageBar {
  percent: number;
  colour: "green" | "orange" | "red";
}

export function usageBarOf(used: number, capacity: number): UsageBar {
  const share = capacity > 0 && used > 0 ? (used / capacity) * 100 : 0;
  return { percent: Math.min(share, usageBar.most), colour: colourOf(share) };
}

function colourOf(share: number): UsageBar["colour"] {
  if (share > usageBar.redAbove) return "red";
  return share > usageBar.orangeAbove ? "orange" : "green";
}

export interface SessionUse {
  cpu_seconds: number;
  ram_gb_seconds: number;
  net_rx_gb: number;
  net_tx_gb: number;
}

export interface SessionFigures {
  coreHours: number;
  ramGbHours: number;
  networkGb: number;
}

/** The usage figures of a session in the session list. */
export function sessionFigures(job: SessionUse): SessionFigures {
  return {
    coreHours: floorTo2(job.cpu_seconds / sessions.secondsPerHour),
    ramGbHours: floorTo2(job.ram_gb_seconds / sessions.secondsPerHour),
    networkGb: floorTo2(job.net_rx_gb + job.net_tx_gb),
  };
}
