// Runs before the first paint, so it is a plain script without imports. Afterwards shell/theme.ts does the same.
(function () {
  var stored = null;
  try {
    stored = localStorage.getItem("theme");
  } catch {
    // When storage is switched off, the system's preference decides.
  }
  var dark = stored === "dark" || (stored !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.classList.toggle("dark", dark);
})();
