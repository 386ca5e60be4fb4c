import { Monitor, Moon, Sun } from "lucide-react";

import { theme as limits } from "../../limits.ts";

import { setTheme, type Theme, useTheme } from "../../shell/theme.ts";
import { ChoiceGroup } from "../../ui/form/choice-group.tsx";
import { SettingsSection } from "../../ui/form/settings-section.tsx";

const looks = {
  light: { icon: Sun, label: "Light" },
  dark: { icon: Moon, label: "Dark" },
  system: { icon: Monitor, label: "System" },
} as const satisfies Record<Theme, object>;

export function ThemeSection() {
  const theme = useTheme();
  return (
    <SettingsSection title="Theme" description="Kept in this browser. System follows your device as it changes.">
      <ChoiceGroup
        legend="Theme"
        legendHidden
        name="theme"
        value={theme}
        onChoose={setTheme}
        options={limits.choices.map((choice) => ({ value: choice, label: <Choice theme={choice} /> }))}
        className="grid-cols-3"
      />
    </SettingsSection>
  );
}

function Choice({ theme }: { theme: Theme }) {
  const { icon: Icon, label } = looks[theme];
  return (
    <span className="flex w-full items-center justify-center gap-2 max-sm:flex-col max-sm:gap-1 max-sm:py-1">
      <Icon className="size-4" aria-hidden="true" />
      {label}
    </span>
  );
}
