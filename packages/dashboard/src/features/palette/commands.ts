import type { Application, Project } from '@berth/contract'
import type { IconName } from '../../components/icon.tsx'
import type { Theme } from '../../lib/theme.ts'
import { paths } from '../../paths.ts'

/** What a command does. */
type Act = { to: string } | { deploy: number } | { theme: Theme }
export type PaletteCommand = { id: string; label: string; note: string; icon: IconName; act: Act }

const PAGES: readonly PaletteCommand[] = [
  { id: 'overview', label: 'Overview', note: 'Page', icon: 'overview', act: { to: paths.overview() } },
  { id: 'projects', label: 'Projects', note: 'Page', icon: 'project', act: { to: paths.projects() } },
  { id: 'apps', label: 'Apps', note: 'Page', icon: 'app', act: { to: paths.apps() } },
  { id: 'account', label: 'Account', note: 'Page', icon: 'account', act: { to: paths.account() } },
]

const ADMIN_PAGES: readonly PaletteCommand[] = [
  { id: 'users', label: 'Users', note: 'Administration', icon: 'users', act: { to: paths.users() } },
  { id: 'templates', label: 'Templates', note: 'Administration', icon: 'template', act: { to: paths.templates() } },
  { id: 'settings', label: 'Settings', note: 'Administration', icon: 'gear', act: { to: paths.settings() } },
  { id: 'audit', label: 'Audit log', note: 'Administration', icon: 'audit', act: { to: paths.audit() } },
  { id: 'health', label: 'Health', note: 'Administration', icon: 'health', act: { to: paths.health() } },
]

const THEME_COMMANDS: readonly PaletteCommand[] = [
  { id: 'light', label: 'Light theme', note: 'Theme', icon: 'sun', act: { theme: 'light' } },
  { id: 'dark', label: 'Dark theme', note: 'Theme', icon: 'moon', act: { theme: 'dark' } },
  { id: 'system', label: 'System theme', note: 'Theme', icon: 'screen', act: { theme: 'system' } },
]

type Known = { apps: readonly Application[]; projects: readonly Project[]; mayAdmin: boolean }

/** All pages and actions that can be found by name. */
export function commandsOf({ apps, projects, mayAdmin }: Known): PaletteCommand[] {
  return [
    ...PAGES,
    ...(mayAdmin ? ADMIN_PAGES : []),
    ...projects.map(
      ({ id, name }): PaletteCommand => ({
        id: `project-${id}`,
        label: name,
        note: 'Project',
        icon: 'project',
        act: { to: paths.project(id) },
      }),
    ),
    ...apps.flatMap(({ id, name, app_type }): PaletteCommand[] => [
      { id: `app-${id}`, label: name, note: 'App', icon: app_type === 'database' ? 'database' : 'app', act: { to: paths.app(id) } },
      { id: `deploy-${id}`, label: `Deploy ${name}`, note: 'Action', icon: 'rocket', act: { deploy: id } },
      { id: `logs-${id}`, label: `${name}: logs`, note: 'App', icon: 'audit', act: { to: paths.logs(id) } },
      { id: `env-${id}`, label: `${name}: environment`, note: 'App', icon: 'gear', act: { to: paths.environment(id) } },
      { id: `deployments-${id}`, label: `${name}: deployments`, note: 'App', icon: 'rocket', act: { to: paths.deployments(id) } },
    ]),
    ...projects.map(
      ({ id, name }): PaletteCommand => ({
        id: `new-${id}`,
        label: `New app in ${name}`,
        note: 'Create',
        icon: 'plus',
        act: { to: paths.newApp(id) },
      }),
    ),
    ...THEME_COMMANDS,
  ]
}

const SHOWN = 12

/** Every word must match; labels that begin with the text come first. */
export function matching(commands: readonly PaletteCommand[], text: string): PaletteCommand[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = commands.filter(({ label, note }) => words.every((word) => `${label} ${note}`.toLowerCase().includes(word)))
  const begins = ({ label }: PaletteCommand): number => Number(label.toLowerCase().startsWith(words[0] ?? ''))
  return found.sort((a, b) => begins(b) - begins(a)).slice(0, SHOWN)
}
