import { AccountPage } from "../../shell/account/account-page.tsx";
import { DeletionSection } from "./deletion-section.tsx";
import { NotificationsSection } from "./notifications-section.tsx";
import { PasswordSection } from "./password-section.tsx";
import { PictureSection } from "./picture-section.tsx";
import { ProfileSection } from "./profile-section.tsx";
import { ThemeSection } from "./theme-section.tsx";
import { TokensSection } from "./tokens-section.tsx";

export function AccountScreen() {
  return (
    <AccountPage title="Account">
      <div className="flex flex-col gap-10">
        <ProfileSection />
        <PictureSection />
        <ThemeSection />
        <NotificationsSection />
        <PasswordSection />
        <TokensSection />
        <DeletionSection />
      </div>
    </AccountPage>
  );
}
