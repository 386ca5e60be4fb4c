export function formatShare(share: number): string {
  const percent = share * 100;
  return percent > 0 && percent < 1 ? "< 1 %" : `${Math.round(percent)} %`;
}
