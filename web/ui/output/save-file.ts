/** Downloads a file. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name.replaceAll(/[/\\:*?"<>|]/g, "_");
  link.click();
  // By then the browser has started to read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Saves the picture at an address of this page as PNG. */
export async function savePicture(name: string, address: string): Promise<void> {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  // A drawing (SVG) may have no size of its own.
  const [width, height] = [picture.naturalWidth || 1_200, picture.naturalHeight || 800];
  const paper = document.createElement("canvas");
  paper.width = width;
  paper.height = height;
  paper.getContext("2d")?.drawImage(picture, 0, 0, width, height);
  await savePaper(name, paper);
}

export async function savePaper(name: string, paper: HTMLCanvasElement): Promise<void> {
  const content = await new Promise<Blob | null>((resolve) => paper.toBlob(resolve, "image/png"));
  if (!content) throw new Error("The picture could not be made.");
  saveFile(`${name}.png`, content);
}
