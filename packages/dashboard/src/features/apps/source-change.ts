import type { Application, Input } from '@berth/contract'
import { type ChosenSource, chosenSource } from '../../shared/source-values.ts'

/** Whether the branch is looked at every few minutes; `auto` where no webhook works. */
export type Poll = 'auto' | 'on' | 'off'

export type SourceValues = ChosenSource & {
  rootDirectory: string
  dockerfilePath: string
  autoDeploy: boolean
  poll: Poll
  /** One pattern a line. */
  watchPaths: string
  /** Sets the same clone URL again as the current user. */
  inMyName: boolean
}

export function sourceValues(app: Application): SourceValues {
  return {
    ...chosenSource(app),
    rootDirectory: app.root_directory,
    dockerfilePath: app.dockerfile_path ?? '',
    autoDeploy: app.auto_deploy,
    poll: app.poll_source === null ? 'auto' : app.poll_source ? 'on' : 'off',
    watchPaths: app.watch_paths.join('\n'),
    inMyName: false,
  }
}

type Change = Omit<Input<'apps.update'>, 'appId'>

/**
 * The person who sends a source becomes the one who set it, which decides what it may access. So an unchanged one is only sent on request.
 */
function originChange(app: Application, values: SourceValues): Change {
  const { via, gitProviderId, gitRepository, gitCloneUrl, inMyName } = values
  const image = values.image.trim()
  if (via === 'image') return image === app.image ? {} : { image }
  if (via === 'account') {
    const isSame = gitProviderId === app.git_provider_id && gitRepository === app.git_repository
    return isSame || gitRepository === '' ? {} : { gitProviderId, gitRepository }
  }
  if (app.git_provider_id !== null && via === 'url') return { gitProviderId: null, gitRepository: '', gitCloneUrl }
  return inMyName || gitCloneUrl !== app.git_clone_url ? { gitCloneUrl } : {}
}

export function sourceChange(app: Application, values: SourceValues): Change {
  const { gitBranch, rootDirectory, dockerfilePath, autoDeploy, poll, watchPaths } = values
  return {
    ...originChange(app, values),
    ...(values.via !== 'image' && { gitBranch }),
    rootDirectory,
    dockerfilePath: dockerfilePath === '' ? null : dockerfilePath,
    autoDeploy,
    pollSource: poll === 'auto' ? null : poll === 'on',
    ...(values.via === 'account' && { watchPaths: linesOf(watchPaths) }),
  }
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
