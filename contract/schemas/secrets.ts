import { z } from "zod";

import { formText, secret } from "../limits.ts";
import { exactText, Id, OptionalId, requiredText, yesOrNo } from "./forms.ts";
import { PageKeyQuery } from "./pages.ts";

export const SecretKey = requiredText("Key", secret.keyMax).regex(
  /^[a-zA-Z_][a-zA-Z0-9_.-]*$/,
  "Key has letters, digits, dots, dashes and underscores, and starts with a letter.",
);
export type SecretKey = z.infer<typeof SecretKey>;

/** A secret as editors of its project see it: without its value. */
export const Secret = z.object({
  key: z.string(),
  project_id: z.string().nullable(),
  temporary: z.boolean(),
  time_created: z.string(),
  last_updated: z.string(),
});
export type Secret = z.infer<typeof Secret>;

export const SecretList = z.array(Secret);
export type SecretList = z.infer<typeof SecretList>;

/** Secrets are listed by key. `after` is the key of the last one of the page before. */
export const SecretPageQuery = PageKeyQuery.extend({ after: SecretKey.optional(), project_id: OptionalId });
export type SecretPageQuery = z.infer<typeof SecretPageQuery>;

/** Without a project the secret belongs to the account. A temporary one is deleted once it is read. */
export const CreateSecretBody = z.object({
  key: SecretKey,
  value: exactText("Value", secret.valueMax).min(1, "Value is required."),
  project_id: OptionalId,
  temporary: yesOrNo("temporary").default(false),
});
export type CreateSecretBody = z.infer<typeof CreateSecretBody>;

export const NotifySecretBody = z.object({
  message: exactText("Message", formText.noticeMax).default(""),
  key: SecretKey,
  project_id: Id,
  question: exactText("Question", secret.keyMax).optional(),
});
export type NotifySecretBody = z.infer<typeof NotifySecretBody>;
