import type { AuditEntry } from '@berth/contract'

const WORDS: Readonly<Record<string, string>> = {
  'session.login': 'Logged in',
  'session.login_failed': 'Login failed',
  'session.logout': 'Logged out',
  'backup.create': 'Backup created',
  'backup.delete': 'Backup deleted',
  'backup.download': 'Backup downloaded',
  'session.end': 'Sessions ended',
  'user.setup': 'Owner created',
  'user.create': 'User created',
  'user.invite': 'User invited',
  'user.uninvite': 'Invitation revoked',
  'user.join': 'Invitation accepted',
  'user.update': 'User changed',
  'user.password': 'Password changed',
  'user.password_failed': 'Wrong current password',
  'user.delete': 'User deleted',
  'project.create': 'Project created',
  'project.update': 'Project changed',
  'project.members': 'Members changed',
  'project.leave': 'Left the project',
  'project.env_replace': 'Project variables changed',
  'project.delete': 'Project deleted',
  'app.create': 'App created',
  'app.update': 'App changed',
  'app.transfer': 'App transferred',
  'app.move': 'App is being moved',
  'app.move_stop': 'Move of app stopped',
  'app.move_end': 'App moved, or moved back',
  'app.compose_file': 'Compose file changed',
  'app.open_port': 'Port opened',
  'app.close_port': 'Port closed',
  'app.delete': 'App deleted',
  'app.hook_rotate': 'Deploy hook created',
  'app.hook_delete': 'Deploy hook removed',
  'app.deploy_key_create': 'Deploy key created',
  'app.deploy_key_delete': 'Deploy key removed',
  'app.host_key_forget': 'Host key forgotten',
  'env.create': 'Variable added',
  'env.update': 'Variable changed',
  'env.delete': 'Variable removed',
  'env.replace': 'Environment replaced',
  'domain.create': 'Domain added',
  'domain.update': 'Domain changed',
  'domain.certificate': 'Certificate changed',
  'domain.delete': 'Domain removed',
  'deployment.add': 'Deployment started',
  'deployment.rollback': 'Rollback started',
  'deployment.stop': 'Deployment cancelled',
  'container.start': 'App started',
  'container.stop': 'App stopped',
  'container.restart': 'App restarted',
  'volume.delete': 'Volume deletion requested',
  'volume.keep': 'Volume not deleted',
  'git_account.create': 'Git account connected',
  'git_account.reconnect': 'Git account connected again',
  'git_account.delete': 'Git account removed',
  'registry.create': 'Registry added',
  'registry.update': 'Registry password changed',
  'registry.delete': 'Registry removed',
  'delivery.redeliver': 'Delivery repeated',
  'settings.update': 'Settings changed',
  'disk.clean_up': 'Disk space freed',
  'server.turn_on': 'Swarm switched on',
  'server.turn_off': 'Swarm switched off',
  'server.invite': 'Command for a new server created',
  'server.stop_adding': 'Command for a new server made invalid',
  'server.join': 'Server joined',
  'server.update': 'Server changed',
  'server.managers': 'Managers changed',
  'server.remove': 'Server removed',
  'node.remove': 'Node removed',
  'file.save': 'File saved',
  'file.delete': 'File deleted',
  'github_app.create': 'GitHub App connected',
  'github_app.reconnect': 'GitHub App connected again',
  'keys.rotate': 'Keys replaced',
  'update.apply': 'Update started',
  'update.clear': 'Update ended',
}

/** A readable action. A server newer than this page may send unknown ones, which are shown as they are. */
export function actionWords(action: string): string {
  return WORDS[action] ?? action
}

/** One entry can stand for many wrong passwords; it carries their number. */
function triesOf(after: unknown): number {
  return typeof after === 'object' && after !== null && 'tries' in after && typeof after.tries === 'number' ? after.tries : 1
}

function textIn(detail: unknown, key: 'email' | 'name'): string {
  const value: unknown = typeof detail === 'object' && detail !== null ? Reflect.get(detail, key) : undefined
  return typeof value === 'string' ? value : ''
}

/** What has no number: an invitation is for somebody who has no account yet, and servers and nodes go by their names. */
function unnumbered({ action, before, after }: Pick<AuditEntry, 'action' | 'before' | 'after'>): string {
  const key = goesByName(action) ? 'name' : 'email'
  return textIn(after, key) || textIn(before, key)
}

function goesByName(action: string): boolean {
  return action.startsWith('server.') || action.startsWith('node.')
}

/** The subject of an entry, and how often it happened. */
export function aboutWords(entry: Pick<AuditEntry, 'action' | 'actorEmail' | 'subjectId' | 'before' | 'after'>, name: string): string {
  const isFailedLogin = entry.action === 'session.login_failed'
  const isUnnumbered = entry.action === 'user.invite' || entry.action === 'user.uninvite' || goesByName(entry.action)
  const known = isUnnumbered ? unnumbered(entry) : name
  const subject = isFailedLogin && entry.subjectId === null ? 'for an unknown email' : isFailedLogin ? `for ${known}` : known
  const tries = triesOf(entry.after)
  return `${subject === '' || subject === entry.actorEmail ? '' : ` ${subject}`}${tries > 1 ? `, ${tries} times` : ''}`
}

/** Who did it. A failed login has no user. */
export function actorWords({ actorEmail }: Pick<AuditEntry, 'actorEmail'>): string {
  if (actorEmail === 'berth') return 'Berth'
  return actorEmail === '' ? 'Not logged in' : actorEmail
}
