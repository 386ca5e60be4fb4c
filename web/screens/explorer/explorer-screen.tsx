import { Compass } from "lucide-react";
import { Link, useParams } from "react-router";

import { buttonClasses } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { Page } from "../../ui/layout/page.tsx";
import { GalleryScreen } from "./gallery/gallery-screen.tsx";

/** The gallery, and every address below it that is no app. */
export function ExplorerScreen() {
  const rest = useParams()["*"] ?? "";
  return rest === "" ? <GalleryScreen /> : <NoPage />;
}

function NoPage() {
  return (
    <Page title="Explorer" wide>
      <EmptyState
        icon={Compass}
        title="There is nothing here"
        action={
          <Link to="/explorer/" className={buttonClasses({ variant: "primary" })}>
            See all apps
          </Link>
        }
      >
        The address may be mistyped, or the app was removed.
      </EmptyState>
    </Page>
  );
}
