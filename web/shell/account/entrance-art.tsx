interface Node {
  x: number;
  y: number;
  label: string;
  inputs: number;
  outputs: number;
}

const width = 148;
const height = 64;

const nodes: readonly Node[] = [
  { x: 40, y: 96, label: "load", inputs: 0, outputs: 1 },
  { x: 40, y: 262, label: "policy", inputs: 0, outputs: 1 },
  { x: 270, y: 60, label: "clean", inputs: 1, outputs: 1 },
  { x: 270, y: 206, label: "split", inputs: 1, outputs: 2 },
  { x: 500, y: 128, label: "train", inputs: 2, outputs: 1 },
  { x: 500, y: 288, label: "score", inputs: 2, outputs: 1 },
];

// [from node, output, to node, input]
const edges: readonly (readonly [number, number, number, number])[] = [
  [0, 0, 2, 0],
  [2, 0, 4, 0],
  [0, 0, 3, 0],
  [3, 0, 4, 1],
  [3, 1, 5, 0],
  [1, 0, 5, 1],
];

/** A drawing of a running workflow. Decoration only. */
export function EntranceArt() {
  return (
    <div aria-hidden="true" className="dot-grid absolute inset-0 flex flex-col justify-center">
      <div className="mx-auto w-full max-w-3xl px-10">
        <svg viewBox="0 0 690 400" fill="none" className="w-full overflow-visible">
          {edges.map((edge) => (
            <Edge key={edge.join("-")} path={wire(edge)} />
          ))}
          {nodes.map((node) => (
            <NodeBox key={node.label} node={node} />
          ))}
        </svg>
        <p className="mt-10 text-center text-3xl font-semibold text-balance">Build it together. Watch it run.</p>
        <p className="mx-auto mt-3 max-w-md text-center text-lg text-ink-muted text-pretty">
          Data and machine-learning workflows as a graph of code, on a processor of its own.
        </p>
      </div>
    </div>
  );
}

function Edge({ path }: { path: string }) {
  return (
    <>
      <path d={path} className="stroke-line-strong/55" strokeWidth="1.5" />
      <path
        d={path}
        pathLength={100}
        className="animate-[flow_4.5s_linear_infinite] stroke-accent motion-reduce:hidden"
        strokeWidth="2"
        strokeLinecap="round"
        strokeDasharray="7 93"
      />
    </>
  );
}

function NodeBox({ node }: { node: Node }) {
  return (
    <g transform={`translate(${node.x} ${node.y})`}>
      <rect width={width} height={height} rx="10" className="fill-surface stroke-line" />
      <rect x="12" y="12" width="18" height="18" rx="5" className="fill-accent-soft" />
      <circle cx="21" cy="21" r="3" className="fill-accent" />
      <text x="40" y="26" className="fill-ink font-mono text-sm">
        {node.label}
      </text>
      <rect x="12" y="42" width="78" height="5" rx="2.5" className="fill-hover" />
      <rect x="96" y="42" width="28" height="5" rx="2.5" className="fill-hover" />
      {ports(node.inputs).map((y) => (
        <circle key={y} cx="0" cy={y} r="4.5" strokeWidth="1.5" className="fill-surface stroke-line-strong" />
      ))}
      {ports(node.outputs).map((y) => (
        <circle key={y} cx={width} cy={y} r="4.5" strokeWidth="1.5" className="fill-surface stroke-accent" />
      ))}
    </g>
  );
}

function ports(count: number): number[] {
  return Array.from({ length: count }, (_, at) => (height * (at + 1)) / (count + 1));
}

function wire([from, output, to, input]: readonly [number, number, number, number]): string {
  const start = nodes[from];
  const end = nodes[to];
  if (!start || !end) return "";
  const x1 = start.x + width;
  const y1 = start.y + (ports(start.outputs)[output] ?? 0);
  const y2 = end.y + (ports(end.inputs)[input] ?? 0);
  const bend = (end.x - x1) * 0.55;
  return `M${x1} ${y1} C${x1 + bend} ${y1} ${end.x - bend} ${y2} ${end.x} ${y2}`;
}
