import { useSettings } from "../../api/settings.ts";
import { counted } from "../../ui/counted.ts";

/** How long what was deleted can be restored: "for 30 days". */
export function useTrashTime(): string {
  const days = useSettings()?.trash_days;
  return days === undefined ? "for a while" : `for ${counted(days, "day")}`;
}
