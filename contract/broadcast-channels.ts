/** The channels on which people in a workflow send broadcasts to each other. */
export const broadcastChannels = [
  "selection",
  "follow",
  "view",
  "setNodeDisabled",
  "update[attribute]",
  "update[CODE]",
  "create[edge]",
  "delete[edge]",
  "create[wob]",
  "update[wob]",
  "delete[wob]",
  "create[blueprint]",
  "setWaitingOnTag",
] as const;
export type BroadcastChannel = (typeof broadcastChannels)[number];
