/** The parts of a price, in the order in which they are shown. */
export const priceLabels = [
  { name: "core_hour", label: "Per core and hour" },
  { name: "ram_gb_hour", label: "Per GB of memory and hour" },
  { name: "hour", label: "Per session and hour" },
] as const;
