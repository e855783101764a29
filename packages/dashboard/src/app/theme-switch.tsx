import { useSyncExternalStore } from 'react'
import { Icon, type IconName } from '../components/icon.tsx'
import { applyTheme, currentTheme, onThemeChange, THEMES, type Theme } from '../lib/theme.ts'

const LOOK = {
  system: { label: 'System', icon: 'screen' },
  light: { label: 'Light', icon: 'sun' },
  dark: { label: 'Dark', icon: 'moon' },
} as const satisfies Record<Theme, { label: string; icon: IconName }>

export function ThemeSwitch() {
  const theme = useSyncExternalStore(onThemeChange, currentTheme)
  return (
    <div role="group" aria-label="Theme" className="grid grid-cols-3 rounded-md border border-line bg-sunken p-0.5">
      {THEMES.map((each) => (
        <button
          key={each}
          type="button"
          aria-label={LOOK[each].label}
          title={LOOK[each].label}
          aria-pressed={each === theme}
          onClick={() => applyTheme(each)}
          className="grid h-7 place-items-center rounded text-ink-soft hover:text-ink aria-pressed:bg-raised aria-pressed:text-ink aria-pressed:shadow-xs"
        >
          <Icon name={LOOK[each].icon} />
        </button>
      ))}
    </div>
  )
}
