import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

import { iconImports } from "./server/platform/web-client/icon-imports.ts";
import { screenChunks } from "./server/platform/web-client/screen-chunks.ts";

const base = "/designer/";
const api = `http://127.0.0.1:${process.env["PORT"] ?? "4600"}`;
// The Host header stays the browser's own, or the server would take every call for one from another site.
const proxied = { target: api, changeOrigin: false };

/** In development, every page address gets the one page. Vite itself answers only those under its base. */
function pagesOutsideBase(): Plugin {
  return {
    name: "miranda-pages-outside-base",
    configureServer(server) {
      server.middlewares.use((request, _response, next) => {
        const path = request.url ?? "/";
        const wantsPage = request.headers.accept?.includes("text/html") === true;
        if (wantsPage && !/^\/(designer\/|api\/|ws\/|healthz)/.test(path)) request.url = base;
        next();
      });
    },
  };
}

/** The text font starts to load with the page, not after the style sheet: no page is set twice. */
function preloadTextFont(): Plugin {
  return {
    name: "miranda-preload-text-font",
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((file) => /instrument-sans-latin-wght-normal.*\.woff2$/.test(file))
          .map((file) => ({
            tag: "link",
            attrs: { rel: "preload", as: "font", type: "font/woff2", crossorigin: "", href: base + file },
            injectTo: "head" as const,
          })),
    },
  };
}

export default defineConfig({
  root: "web",
  base,
  plugins: [
    pagesOutsideBase(),
    preloadTextFont(),
    react(),
    tailwindcss(),
    iconImports(),
    screenChunks(/web\/routes\.tsx$/),
  ],
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    manifest: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // For readable error details. Without the sources themselves, and loaded only then.
    sourcemap: "hidden",
    rolldownOptions: { output: { sourcemapExcludeSources: true } },
    // A font or picture as a data: address would need a weaker content security policy.
    assetsInlineLimit: 0,
  },
  server: {
    port: 4700,
    proxy: { "/api": proxied, "/ws": { ...proxied, ws: true }, "/healthz": proxied },
  },
});
