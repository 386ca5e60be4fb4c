import { startProduct } from "./drivers/product.ts";

export default async function setup(): Promise<() => Promise<void>> {
  const { url, stop } = await startProduct();
  process.env["E2E_URL"] = url;
  return stop;
}
