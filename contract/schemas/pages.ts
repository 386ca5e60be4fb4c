import { z } from "zod";

import { paging } from "../limits.ts";
import { Id, numberBetween } from "./forms.ts";

/** A page of a list, newest first. `after` is the id of the last item of the page before, which may be gone by now. */
export const PageKeyQuery = z.object({
  limit: numberBetween("limit", { min: 1, max: paging.pageMax }, "whole").default(paging.page),
  after: Id.optional(),
});
export type PageKeyQuery = z.infer<typeof PageKeyQuery>;
