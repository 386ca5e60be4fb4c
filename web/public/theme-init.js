// Runs before the first paint, so it is a plain script without imports. shell/theme.ts does the same from then on.
(function () {
  var stored = null;
  try {
    stored = localStorage.getItem("theme");
  } catch {
    // Storage can be switched off; the system's preference then decides.
  }
  var dark = stored === "dark" || (stored !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.classList.toggle("dark", dark);
})();
