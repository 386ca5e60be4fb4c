import fastifyStatic from "@fastify/static";

import { AppError } from "../errors/app-error.ts";
import type { Http } from "../http/http-server.ts";
import { isNotModified, tagOf } from "../http/not-modified.ts";
import { readLargePages } from "./page-preloads.ts";
import { allowFrames } from "../http/security.ts";

const pages = /^\/(?:login|register|onboarding|designer|explorer|embed|account|docs)?(?:\/.*)?$/;
const assets = /^\/designer\/(?:assets\/|[^/]+\.[a-z0-9]+$)/;

interface WebClient {
  folder: string;
  /** The origins whose pages may show this address in a frame. */
  framedBy: (path: string) => Promise<readonly string[]>;
}

/** Serves the built client: its files below /designer/, its one page at every address that is a screen. */
export async function installWebClient(app: Http, { folder, framedBy }: WebClient): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    prefix: "/designer/",
    dotfiles: "ignore",
    index: false,
    preCompressed: true,
    setHeaders: (response, path) => {
      // The names in assets/ carry a hash of their content.
      response.header("cache-control", path.includes("/assets/") ? "public, max-age=31536000, immutable" : "no-cache");
    },
  });
  const largePages = (await readLargePages(folder)).map((one) => ({ ...one, tag: tagOf([one.page.toString()]) }));
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split("?")[0] ?? "/";
    const isRead = request.method === "GET" || request.method === "HEAD";
    const isPage = (pages.test(path) || isVisited(path, request.headers.accept)) && !assets.test(path);
    if (!isRead || !isPage) throw new AppError("not_found");
    const large = largePages.find((one) => one.path.test(path));
    if (large) {
      // Where no route is found, the answer is a 404 unless it says otherwise.
      reply.code(200);
      if (isNotModified(request, reply, large.tag)) return reply.send();
      return reply.type("text/html; charset=utf-8").send(large.page);
    }
    if (path.startsWith("/embed/")) allowFrames(reply, await framedBy(path));
    return reply.header("cache-control", "no-cache").sendFile("index.html");
  });
}

/** A browser opens an unknown address: send the page, which asks to sign in or says that there is nothing here. */
function isVisited(path: string, accept: string | undefined): boolean {
  return accept?.includes("text/html") === true && !/^\/(?:api|ws|healthz)(?:\/|$)|\.[^/]*$/.test(path);
}
