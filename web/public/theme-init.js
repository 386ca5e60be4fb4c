// Runs before the first paint, so it is a plain script without imports. Afterwards shell/theme.ts does the same.
(function () {
  var stored = null;
  try {
    stored = localStorage.getItem("theme");
  } catch {
    // When storage is switched off, the system's preference decides.
  }
  // The page around an embedded app chooses how it looks.
  if (location.pathname.indexOf("/embed/") === 0) stored = new URLSearchParams(location.search).get("theme");
  var dark = stored === "dark" || (stored !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.classList.toggle("dark", dark);
})();
