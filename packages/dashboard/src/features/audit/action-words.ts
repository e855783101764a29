const WORDS: Readonly<Record<string, string>> = {
  'session.login': 'Logged in',
  'session.logout': 'Logged out',
  'user.setup': 'Owner created',
  'user.create': 'User created',
  'user.update': 'User changed',
  'user.password': 'Password changed',
  'user.delete': 'User deleted',
  'project.create': 'Project created',
  'project.update': 'Project changed',
  'project.members': 'Members changed',
  'project.delete': 'Project deleted',
  'app.create': 'App created',
  'app.update': 'App changed',
  'app.transfer': 'App given to another owner',
  'app.delete': 'App deleted',
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
  'settings.update': 'Settings changed',
}

/** What was done, in words; a server that is newer than this page may record more. */
export function actionWords(action: string): string {
  return WORDS[action] ?? action
}
