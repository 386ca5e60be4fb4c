import { uniqueIdentifier } from "@miranda/contract/graph/python-names.ts";
import { defaultReceiver, defaultTransmitter } from "@miranda/contract/graph/python-names.ts";

type Side = "receiver" | "transmitter";

/** The receivers and transmitters of one node, made from the ports of the file as its edges use them. */
export interface NodePorts {
  use(port: string, side: Side): void;
  /** Fixes the names of the ports. Call it after every edge has named its ports. */
  settle(declared: readonly string[]): void;
  /** The attribute for an edge's end: the port's, or the default one. */
  name(port: string | undefined, side: Side): string;
  /** A further receiver for a parallel edge. Undefined when the node has too many. */
  parallel(receiver: string, number: number): string | undefined;
  receivers: string[];
  transmitters: string[];
}

export function createNodePorts(most: number): NodePorts {
  const names = { receiver: new Map<string, string>(), transmitter: new Map<string, string>() };
  const furtherReceivers = new Map<string, string>();
  const used = new Set<string>([defaultReceiver, defaultTransmitter]);
  const receivers: string[] = [];
  const transmitters: string[] = [];
  return {
    receivers,
    transmitters,
    use(port, side) {
      if (names[side].size < most) names[side].set(port, "");
    },
    settle(declared) {
      for (const port of declared) {
        if (!names.receiver.has(port) && !names.transmitter.has(port)) names.receiver.set(port, "");
      }
      for (const port of names.receiver.keys()) {
        const name = uniqueIdentifier(port, used, "port");
        names.receiver.set(port, name);
        receivers.push(name);
      }
      for (const port of names.transmitter.keys()) {
        // A GraphML port has no direction. One that is used both ways becomes two of ours.
        const name = uniqueIdentifier(names.receiver.has(port) ? `${port}_out` : port, used, "port");
        names.transmitter.set(port, name);
        transmitters.push(name);
      }
    },
    name(port, side) {
      const fallback = side === "receiver" ? defaultReceiver : defaultTransmitter;
      return (port === undefined ? undefined : names[side].get(port)) ?? fallback;
    },
    parallel(receiver, number) {
      const wanted = `${receiver}_${number}`;
      const known = furtherReceivers.get(wanted);
      if (known !== undefined || furtherReceivers.size >= most) return known;
      const name = uniqueIdentifier(wanted, used, "port");
      furtherReceivers.set(wanted, name);
      receivers.push(name);
      return name;
    },
  };
}
