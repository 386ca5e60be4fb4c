import { avatar as limits } from "@miranda/contract/limits.ts";

import { AppError } from "../../platform/errors/app-error.ts";

const accepted = new Set(["png", "jpeg", "webp"]);

interface PictureSize {
  maxBytes: number;
  maxPixels: number;
  width: number;
  height: number;
}

export function redrawAvatar(file: Buffer): Promise<Buffer> {
  return redrawPicture(file, { ...limits, width: limits.side, height: limits.side });
}

/** Redraws the picture, so that nothing else in the file is ever served. */
export async function redrawPicture(file: Buffer, size: PictureSize): Promise<Buffer> {
  const { maxBytes, maxPixels, width, height } = size;
  if (file.length > maxBytes) throw new AppError("avatar_too_large");
  // Loaded on first use: most servers never see a picture.
  const { default: sharp } = await import("sharp");
  try {
    const picture = sharp(file, { limitInputPixels: maxPixels, failOn: "error", animated: false });
    const { format } = await picture.metadata();
    if (!accepted.has(format ?? "")) throw new AppError("avatar_not_image");
    return await picture.rotate().resize(width, height, { fit: "cover" }).webp({ quality: 85 }).toBuffer();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("avatar_not_image");
  }
}
