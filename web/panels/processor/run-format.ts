export function formatDuration(seconds: number): string {
  if (seconds < 0.001) return `${Math.round(seconds * 1e6)} µs`;
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.floor(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function formatShare(share: number): string {
  const percent = share * 100;
  return percent > 0 && percent < 1 ? "< 1 %" : `${Math.round(percent)} %`;
}
