/** One number of a metric, with the labels that tell it from the others. */
export interface Sample {
  /** After the name of the metric: "_bucket", "_sum", "_count". */
  suffix?: string;
  labels?: Record<string, string>;
  value: number;
}

export interface Metric {
  name: string;
  help: string;
  type: "counter" | "gauge" | "histogram" | "summary";
  samples: Sample[];
}

export const contentType = "text/plain; version=0.0.4; charset=utf-8";

/** The text that Prometheus reads. */
export function formatMetrics(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(({ suffix = "", labels = {}, value }) => {
        const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escape(text)}"`);
        return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${numberOf(value)}`;
      });
      return [
        `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
        `# TYPE ${name} ${type}`,
        ...lines,
      ]
        .map((line) => `${line}\n`)
        .join("");
    })
    .join("");
}

function escape(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function numberOf(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  return String(value);
}
