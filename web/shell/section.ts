import { productName } from "./product.ts";

export type Section = "designer" | "explorer" | "other";

/** The part of the product to which an address belongs. */
export function sectionOf(pathname: string): Section {
  if (isUnder(pathname, "/designer")) return "designer";
  if (isUnder(pathname, "/explorer") || isUnder(pathname, "/embed")) return "explorer";
  return "other";
}

export function barTitle(pathname: string): string {
  if (isUnder(pathname, "/designer/models")) return "Models";
  if (isUnder(pathname, "/explorer")) return "Explorer";
  if (isUnder(pathname, "/account")) return "Account";
  if (isUnder(pathname, "/docs")) return "Handbook";
  return "Designer";
}

/** What the bar links to, in this order. */
export const places = [
  { name: "Projects", address: "/designer/" },
  { name: "Models", address: "/designer/models" },
  { name: "Runs", address: "/designer/runs" },
  { name: "Explorer", address: "/explorer/" },
] as const;

/** The section that an address belongs to. */
export function currentPlace(pathname: string): (typeof places)[number]["name"] | undefined {
  if (isUnder(pathname, "/designer/models")) return "Models";
  if (isUnder(pathname, "/designer/runs")) return "Runs";
  if (isUnder(pathname, "/designer/processors")) return undefined;
  if (isUnder(pathname, "/designer")) return "Projects";
  return isUnder(pathname, "/explorer") ? "Explorer" : undefined;
}

const roots = { designer: "/designer/", explorer: "/explorer/", other: "/" } as const;

export function sectionRoot(section: Section): string {
  return roots[section];
}

export function isAtSectionRoot(pathname: string): boolean {
  const root = sectionRoot(sectionOf(pathname));
  return pathname === root || `${pathname}/` === root;
}

const barless = ["/onboarding", "/login", "/register", "/embed/", "/password/", "/confirm/", "/invitation/"];

export function hasTopBar(pathname: string): boolean {
  return !barless.some((path) => pathname.startsWith(path));
}

/** The open item first: with many tabs only the start of a title can be read. */
export function documentTitle(...titles: (string | undefined)[]): string {
  return [...titles, productName].filter(Boolean).join(" · ");
}

function isUnder(pathname: string, folder: string): boolean {
  return pathname === folder || pathname.startsWith(`${folder}/`);
}
