import { useAccount } from "../../api/account/session.ts";
import { AccountPage } from "../../shell/account/account-page.tsx";
import { BrowsersSection } from "./browsers-section.tsx";
import { DeletionSection } from "./deletion-section.tsx";
import { NotificationsSection } from "./notifications-section.tsx";
import { PasswordSection } from "./password-section.tsx";
import { PictureSection } from "./picture-section.tsx";
import { NoPasswordSection } from "./no-password-section.tsx";
import { ProvidersSection } from "./providers-section.tsx";
import { ProfileSection } from "./profile-section.tsx";
import { RunningSection } from "./running-section.tsx";
import { ThemeSection } from "./theme-section.tsx";
import { TwoStepSection } from "./second-factor/two-step-section.tsx";
import { TokensSection } from "./tokens-section.tsx";

export function AccountScreen() {
  const { has_password } = useAccount();
  return (
    <AccountPage title="Account">
      <div className="flex flex-col gap-10">
        <ProfileSection />
        <PictureSection />
        <ThemeSection />
        <NotificationsSection />
        <RunningSection />
        {has_password ? <PasswordSection /> : <NoPasswordSection />}
        <TwoStepSection />
        <ProvidersSection />
        <BrowsersSection />
        <TokensSection />
        <DeletionSection />
      </div>
    </AccountPage>
  );
}
