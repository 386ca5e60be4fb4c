import type { Generated } from "kysely";

import type { Timestamp } from "./column-types.ts";

/** Prefabs and blueprints. */
export interface TemplatesTable {
  id: string;
  kind: "prefab" | "blueprint";
  library_key: string | null;
  owner_id: string | null;
  public: Generated<boolean>;
  name: string;
  description: Generated<string>;
  tags: Generated<string[]>;
  version: Generated<number>;
  content: unknown;
  node_count: number;
  edge_count: number;
  withdrawn: Generated<boolean>;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** What was published as a version of a template. */
export interface TemplateVersionsTable {
  template_id: string;
  version: number;
  changes: Generated<string>;
  code: unknown;
  /** Whether others may read it, when they may read the template. */
  is_public: Generated<boolean>;
  account_id: string | null;
  published_at: Timestamp;
}

export interface TemplateFilesTable {
  template_id: string;
  hash: string;
}
