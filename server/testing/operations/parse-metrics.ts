export interface ParsedMetric {
  type: string;
  samples: { name: string; labels: Record<string, string>; value: number }[];
}

const sampleLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const labelPair = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/gy;

/** Reads the text format of Prometheus strictly: anything that is not in its description fails. */
export function parseMetrics(text: string): Map<string, ParsedMetric> {
  const metrics = new Map<string, ParsedMetric>();
  if (!text.endsWith("\n")) throw new Error("the text must end with a line break");
  const seen = new Set<string>();
  let current: [string, ParsedMetric] | undefined;
  for (const line of text.slice(0, -1).split("\n")) {
    const type = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line);
    if (type?.[1] && type[2]) {
      if (metrics.has(type[1])) throw new Error(`${type[1]} is there twice`);
      current = [type[1], { type: type[2], samples: [] }];
      metrics.set(...current);
      continue;
    }
    if (/^# HELP [a-zA-Z_:][\w:]* .+$/.test(line)) continue;
    const [, name = "", pairs = "", number = ""] = sampleLine.exec(line) ?? [];
    if (!current || !belongs(name, current)) throw new Error(`a line that is no sample of its metric: ${line}`);
    if (seen.has(`${name}{${pairs}}`)) throw new Error(`a sample is there twice: ${line}`);
    seen.add(`${name}{${pairs}}`);
    const value = number === "+Inf" ? Number.POSITIVE_INFINITY : Number(number);
    if (Number.isNaN(value) || number === "") throw new Error(`no number: ${line}`);
    current[1].samples.push({ name, labels: readLabels(pairs), value });
  }
  for (const [name, metric] of metrics) {
    if (metric.type === "histogram") requireHistogram(name, metric);
    requireNames(name, metric, text);
  }
  return metrics;
}

function belongs(name: string, [metric, { type }]: [string, ParsedMetric]): boolean {
  if (type === "summary") return [metric, `${metric}_sum`, `${metric}_count`].includes(name);
  if (type === "histogram") return [`${metric}_bucket`, `${metric}_sum`, `${metric}_count`].includes(name);
  return name === metric && (type !== "counter" || name.endsWith("_total"));
}

/** What `promtool check metrics` asks for beside the format. */
function requireNames(name: string, { type, samples }: ParsedMetric, text: string): void {
  if (!text.includes(`# HELP ${name} `)) throw new Error(`${name} has no help`);
  if (type !== "counter" && name.endsWith("_total")) throw new Error(`${name} is no counter`);
  if (type !== "histogram" && type !== "summary" && /_(?:count|sum|bucket)$/.test(name))
    throw new Error(`${name} is neither a histogram nor a summary`);
  if (/_(?:ms|milliseconds|minutes|hours|days|kb|mb|gb|percent)(?:_|$)/.test(name))
    throw new Error(`${name} is not in seconds, bytes or a ratio`);
  for (const { labels } of samples) {
    if ("le" in labels && type !== "histogram") throw new Error(`${name} has a label of histograms`);
    if ("quantile" in labels && type !== "summary") throw new Error(`${name} has a label of summaries`);
  }
}

function readLabels(pairs: string): Record<string, string> {
  const labels: Record<string, string> = {};
  labelPair.lastIndex = 0;
  while (labelPair.lastIndex < pairs.length) {
    const found = labelPair.exec(pairs);
    if (!found?.[1]) throw new Error(`labels that cannot be read: ${pairs}`);
    labels[found[1]] = found[2] ?? "";
  }
  return labels;
}

/** The buckets of each group of labels grow, and the last one is the count. */
function requireHistogram(name: string, { samples }: ParsedMetric): void {
  const last = new Map<string, number>();
  for (const { name: own, labels, value } of samples) {
    const { le, ...rest } = labels;
    const group = JSON.stringify(rest);
    if (own === `${name}_bucket`) {
      if (le === undefined || value < (last.get(group) ?? 0)) throw new Error(`${name} has buckets that shrink`);
      last.set(group, value);
    }
    if (own === `${name}_count` && last.get(group) !== value) throw new Error(`${name} has a wrong count`);
  }
}
