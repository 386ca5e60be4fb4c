import { Star } from "lucide-react";

import type { AppCard } from "@miranda/contract/schemas/deployments/deployments.ts";

import { useFavourite } from "../../../api/apps/apps.ts";
import { messageOf } from "../../../message-of.ts";
import { buttonClasses } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { toast } from "../../../ui/overlay/toast.ts";

interface FavouriteButtonProps {
  app: Pick<AppCard, "id" | "name" | "title" | "favourite">;
  className?: string;
}

export function FavouriteButton({ app, className }: FavouriteButtonProps) {
  const put = useFavourite();
  return (
    <button
      type="button"
      aria-pressed={app.favourite}
      aria-label={`Favourite: ${app.title}`}
      title={app.favourite ? "Remove from favourites" : "Add to favourites"}
      onClick={() => {
        put(app, !app.favourite).catch((cause: unknown) => toast.error(messageOf(cause)));
      }}
      className={buttonClasses({ variant: "ghost", size: "icon" }, classes("max-sm:size-11", className))}
    >
      <Star className={classes("size-4", app.favourite ? "fill-warning text-warning" : null)} aria-hidden="true" />
    </button>
  );
}
