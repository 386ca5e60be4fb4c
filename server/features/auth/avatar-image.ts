import { avatar as limits } from "@miranda/contract/limits.ts";

import { AppError } from "../../platform/errors/app-error.ts";

const accepted = new Set(["png", "jpeg", "webp"]);

/** Redraws the picture, so that nothing else in the file is ever served. */
export async function redrawAvatar(file: Buffer): Promise<Buffer> {
  if (file.length > limits.maxBytes) throw new AppError("avatar_too_large");
  // Loaded on first use: most servers never see a picture.
  const { default: sharp } = await import("sharp");
  try {
    const picture = sharp(file, { limitInputPixels: limits.maxPixels, failOn: "error", animated: false });
    const { format } = await picture.metadata();
    if (!accepted.has(format ?? "")) throw new AppError("avatar_not_image");
    return await picture.rotate().resize(limits.side, limits.side, { fit: "cover" }).webp({ quality: 85 }).toBuffer();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("avatar_not_image");
  }
}
