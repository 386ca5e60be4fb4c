const home = "/designer";

/**
 * Where a person goes after signing in: the path of `next` if it is on our origin, otherwise the Designer. The address
 * comes from the query string, so anybody may have written it.
 */
export function nextPath(next: string | null | undefined, origin: string): string {
  if (!next || !URL.canParse(next, origin)) return home;
  const url = new URL(next, origin);
  const isWebPage = url.protocol === "http:" || url.protocol === "https:";
  if (!isWebPage || url.origin !== origin) return home;
  // A path that starts with two slashes names another host: `https://ours//theirs.com` must stay here.
  const path = url.pathname.replace(/^\/+/, "/");
  // The front page only links to the Designer.
  return path === "/" ? home : path + url.search + url.hash;
}

/** The login address that brings a person back to the current page. */
export function loginAddress(href: string): string {
  return `/login?next=${encodeURIComponent(href)}`;
}
