import { stopWaitingForDisk } from "./drivers/database.ts";
import { startProduct } from "./drivers/product.ts";

export default async function setup(): Promise<() => Promise<void>> {
  const { url, folder, stop } = await startProduct();
  process.env["E2E_URL"] = url;
  process.env["E2E_DATA"] = folder;
  await stopWaitingForDisk();
  return stop;
}
