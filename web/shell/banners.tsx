import { Suspense } from "react";
import { useLocation } from "react-router";

import { useAccount } from "../api/account/session.ts";
import { useAnnouncement } from "../api/news/announcement.ts";
import { lazyPart } from "../load-part.ts";
import { hasTopBar, isAtSectionRoot, sectionOf } from "./section.ts";

const Announcement = lazyPart(() => import("./announcement.tsx").then((module) => ({ default: module.Announcement })));
const InstallationWarnings = lazyPart(() =>
  import("./failures/installation-warnings.tsx").then((module) => ({ default: module.InstallationWarnings })),
);
const ConfirmEmailBar = lazyPart(() =>
  import("./account/confirm-email-bar.tsx").then((module) => ({ default: module.ConfirmEmailBar })),
);

/** Below the bar: an announcement, what administrators should change, and an address to confirm. */
export function Banners() {
  const { pathname } = useLocation();
  const { is_admin, email_unconfirmed } = useAccount();
  const announcement = useAnnouncement();
  const isDesigner = sectionOf(pathname) === "designer";
  // Not above screens that fill the window.
  const hasRoom = (isDesigner && isAtSectionRoot(pathname)) || pathname.startsWith("/account");
  return (
    <Suspense fallback={null}>
      {announcement !== "" && hasTopBar(pathname) ? <Announcement text={announcement} /> : null}
      {isDesigner && is_admin === 1 ? <InstallationWarnings /> : null}
      {hasRoom && email_unconfirmed ? <ConfirmEmailBar /> : null}
    </Suspense>
  );
}
