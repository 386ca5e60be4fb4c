import { defineConfig } from "/work/main/node_modules/@playwright/test/index.mjs";
export default defineConfig({ testDir:"/work/main/e2e", outputDir:"/tmp/proc/results", workers:1, timeout:60000, expect:{timeout:10000}, reporter:"line",
 use:{viewport:{width:1440,height:900},launchOptions:{executablePath:"/usr/bin/chromium",args:["--no-sandbox","--disable-background-networking","--disable-component-update","--disable-sync","--no-first-run","--disable-quic"]}}});
