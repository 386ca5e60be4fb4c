/** The class of a node in answers. A ghost exists in the client only. */
export const nodeClasses = ["Code_block", "compute_policy", "storage_policy", "note", "ghost"] as const;

/** The type of a node in the address of the call that creates it. */
export const nodeTypes = ["CODE_BLOCK", "COMPUTE_POLICY", "STORAGE_POLICY", "NOTE"] as const;
export type NodeType = (typeof nodeTypes)[number];

export const classOfType = {
  CODE_BLOCK: "Code_block",
  COMPUTE_POLICY: "compute_policy",
  STORAGE_POLICY: "storage_policy",
  NOTE: "note",
} as const satisfies Record<NodeType, (typeof nodeClasses)[number]>;

/** The classes of stored nodes. */
export const storedClasses = Object.values(classOfType);
export type StoredClass = (typeof storedClasses)[number];
