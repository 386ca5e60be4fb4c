import { errors } from "@miranda/contract/errors.ts";
import { avatar } from "@miranda/contract/limits.ts";

const types = ["image/png", "image/jpeg", "image/webp"];

export const avatarTypes = types.join(",");
export const avatarHint = `PNG, JPEG or WebP, up to ${avatar.maxBytes / 1024 / 1024} MB.`;

/** Checks a picture before the upload. The server checks the file's content and decides. */
export function avatarProblem(file: Pick<File, "type" | "size">): string | null {
  if (!types.includes(file.type)) return errors.avatar_not_image;
  if (file.size > avatar.maxBytes) return errors.avatar_too_large;
  return null;
}
