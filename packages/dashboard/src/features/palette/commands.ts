import type { ListedApplication, Project } from '@berth/contract'
import type { IconName } from '../../components/icon.tsx'
import type { Theme } from '../../lib/theme.ts'
import { paths } from '../../paths.ts'

export type Act = { to: string } | { href: string } | { deploy: number } | { theme: Theme }
/** `also` are further words by which it is found. */
export type PaletteCommand = { id: string; label: string; note: string; icon: IconName; act: Act; also?: string }

const PAGES: readonly PaletteCommand[] = [
  { id: 'overview', label: 'Overview', note: 'Page', icon: 'overview', act: { to: paths.overview() }, also: 'home dashboard' },
  { id: 'projects', label: 'Projects', note: 'Page', icon: 'project', act: { to: paths.projects() }, also: 'create new project' },
  { id: 'apps', label: 'Apps', note: 'Page', icon: 'app', act: { to: paths.apps() }, also: 'applications services' },
  { id: 'templates', label: 'Templates', note: 'Page', icon: 'template', act: { to: paths.templates() }, also: 'database create new' },
  {
    id: 'account',
    label: 'Account',
    note: 'Page',
    icon: 'account',
    act: { to: paths.account() },
    also: 'password sessions profile log out',
  },
  {
    id: 'git',
    label: 'Git accounts',
    note: 'Page',
    icon: 'git',
    act: { to: paths.accountGit() },
    also: 'github gitlab gitea forgejo connect token repository',
  },
]

const ADMIN_PAGES: readonly PaletteCommand[] = [
  { id: 'users', label: 'Users', note: 'Administration', icon: 'users', act: { to: paths.users() }, also: 'people invite team roles' },
  {
    id: 'settings',
    label: 'Settings',
    note: 'Administration',
    icon: 'gear',
    act: { to: paths.settings() },
    also: 'config domain certificates',
  },
  {
    id: 'servers',
    label: 'Servers',
    note: 'Administration',
    icon: 'server',
    act: { to: paths.servers() },
    also: 'machines swarm nodes add',
  },
  { id: 'audit', label: 'Audit log', note: 'Administration', icon: 'audit', act: { to: paths.audit() }, also: 'history logins who' },
  {
    id: 'health',
    label: 'Health',
    note: 'Administration',
    icon: 'health',
    act: { to: paths.health() },
    also: 'status disk clean up docker',
  },
]

const THEME_COMMANDS: readonly PaletteCommand[] = [
  { id: 'light', label: 'Light theme', note: 'Theme', icon: 'sun', act: { theme: 'light' }, also: 'mode appearance' },
  { id: 'dark', label: 'Dark theme', note: 'Theme', icon: 'moon', act: { theme: 'dark' }, also: 'mode appearance' },
  { id: 'system', label: 'System theme', note: 'Theme', icon: 'screen', act: { theme: 'system' }, also: 'mode appearance' },
]

type Known = { apps: readonly ListedApplication[]; projects: readonly Project[]; mayAdmin: boolean }

function appActions({ id, name, url, app_type }: ListedApplication): PaletteCommand[] {
  const page = (key: string, label: string, rest: { icon: IconName; to: string; also: string }): PaletteCommand => ({
    id: `${key}-${id}`,
    label: `${label} ${name}`,
    note: 'Action',
    icon: rest.icon,
    act: { to: rest.to },
    also: rest.also,
  })
  return [
    {
      id: `deploy-${id}`,
      label: `Deploy ${name}`,
      note: 'Action',
      icon: 'rocket',
      act: { deploy: id },
      also: 'redeploy release ship build',
    },
    ...(url === ''
      ? []
      : [{ id: `open-${id}`, label: `Open ${name}`, note: 'Action', icon: 'external', act: { href: url }, also: 'visit browse' } as const]),
    page('logs', 'Logs of', { icon: 'audit', to: paths.logs(id), also: 'output console' }),
    page('env', 'Environment of', { icon: 'gear', to: paths.environment(id), also: 'env variables secrets config' }),
    ...(app_type === 'web' || app_type === 'service'
      ? [page('storage', 'Storage of', { icon: 'database', to: paths.storage(id), also: 'volumes files disk data' })]
      : []),
    page('deployments', 'Deployments of', { icon: 'rocket', to: paths.deployments(id), also: 'history releases roll back rollback' }),
    page('domains', 'Domains of', { icon: 'globe', to: paths.domains(id), also: 'dns host https certificate' }),
    page('app-settings', 'Settings of', { icon: 'gear', to: paths.appSettings(id), also: 'port branch limits configure edit' }),
    page('danger', 'Delete or transfer', { icon: 'trash', to: paths.appDanger(id), also: 'remove danger' }),
  ]
}

/** All pages and actions that can be found by name: apps first, then what can be done with them. */
export function commandsOf({ apps, projects, mayAdmin }: Known): PaletteCommand[] {
  return [
    ...apps.map(
      ({ id, name, app_type, template_name }): PaletteCommand => ({
        id: `app-${id}`,
        label: name,
        note: 'App',
        icon: app_type === 'database' ? 'database' : 'app',
        act: { to: paths.app(id) },
        also: template_name,
      }),
    ),
    ...projects.map(
      ({ id, name }): PaletteCommand => ({
        id: `project-${id}`,
        label: name,
        note: 'Project',
        icon: 'project',
        act: { to: paths.project(id) },
      }),
    ),
    ...PAGES,
    ...(mayAdmin ? ADMIN_PAGES : []),
    ...apps.flatMap(appActions),
    ...projects.map(
      ({ id, name }): PaletteCommand => ({
        id: `new-${id}`,
        label: `New app in ${name}`,
        note: 'Create',
        icon: 'plus',
        act: { to: paths.newApp(id) },
        also: 'add create deploy database',
      }),
    ),
    ...THEME_COMMANDS,
  ]
}

const SHOWN = 12

/** How well a command fits: its label begins with the text, a word of it does, it contains the words, or only a synonym does. */
function rankOf({ label, note, also = '' }: PaletteCommand, words: readonly string[]): number {
  const [first = ''] = words
  const name = label.toLowerCase()
  if (!words.every((word) => `${name} ${note} ${also}`.toLowerCase().includes(word))) return 0
  if (name.startsWith(first)) return 4
  if (name.split(/[\s-]+/).some((part) => part.startsWith(first))) return 3
  return name.includes(first) ? 2 : 1
}

/** Every word must match. Of those that fit alike, apps come first. */
export function matching(commands: readonly PaletteCommand[], text: string): PaletteCommand[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return commands
    .map((command) => ({ command, rank: rankOf(command, words) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, SHOWN)
    .map(({ command }) => command)
}
