import type { ApplicationChange, Suggestion } from '@berth/contract'
import type { AppRow } from '../../../domain/rows.ts'
import type { FailureFacts } from './facts.ts'

/** What is changed before the app is deployed again. A suggestion that only opens a page cannot be applied. */
type Effect = { change: Omit<ApplicationChange, 'appId'> } | 'free disk space' | 'nothing' | 'opens a page'
export type PossibleFix = Suggestion & { readonly effect: Effect }

const MOST_DOCKERFILES = 3

/** Fixes for a failure, as far as the app has not changed since. */
export function fixesFor(facts: FailureFacts | undefined, app: Pick<AppRow, 'port' | 'dockerfile_path'>): PossibleFix[] {
  switch (facts?.kind) {
    case 'other_ports':
      return facts.ports.filter((port) => port !== app.port).map(portFix)
    case 'no_dockerfile':
      return facts.found
        .filter((file) => file !== (app.dockerfile_path ?? 'Dockerfile'))
        .slice(0, MOST_DOCKERFILES)
        .map(dockerfileFix)
    case 'no_variable':
      return [variableFix(facts.name)]
    case 'full_disk':
      return [DISK_SPACE_FIX, RETRY]
    case 'passing':
      return [RETRY]
    case undefined:
      return []
    default:
      return facts satisfies never
  }
}

function portFix(port: number): PossibleFix {
  const detail = `The app listens on port ${port}. This changes its port in the settings.`
  return { id: `port:${port}`, title: `Set the port to ${port} and deploy`, detail, link: '', effect: { change: { port } } }
}

function dockerfileFix(path: string): PossibleFix {
  const detail = 'This changes the Dockerfile in the settings.'
  return { id: `dockerfile:${path}`, title: `Use ${path} and deploy`, detail, link: '', effect: { change: { dockerfilePath: path } } }
}

function variableFix(name: string): PossibleFix {
  const link = `environment?add=${encodeURIComponent(name)}`
  return { id: `variable:${name}`, title: `Add ${name}`, detail: 'Set its value, then deploy.', link, effect: 'opens a page' }
}

const RETRY: PossibleFix = {
  id: 'retry',
  title: 'Retry',
  detail: 'The cause may no longer exist.',
  link: '',
  effect: 'nothing',
}

const DISK_SPACE_FIX: PossibleFix = {
  id: 'room',
  title: 'Free disk space and deploy',
  detail: 'Removes old build cache. Images, containers and volumes stay.',
  link: '',
  effect: 'free disk space',
}
