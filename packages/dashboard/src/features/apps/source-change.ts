import type { Application, Input } from '@berth/contract'

export type SourceValues = {
  gitCloneUrl: string
  gitBranch: string
  rootDirectory: string
  dockerfilePath: string
  /** To set the same clone URL again, as one's own. */
  inMyName: boolean
}

export function sourceValues(app: Application): SourceValues {
  return {
    gitCloneUrl: app.git_clone_url,
    gitBranch: app.git_branch,
    rootDirectory: app.root_directory,
    dockerfilePath: app.dockerfile_path ?? '',
    inMyName: false,
  }
}

/** A clone URL that is sent is set by the sender, whose rights it then has; so one that did not change is left out unless asked for. */
export function sourceChange(app: Application, values: SourceValues): Omit<Input<'apps.update'>, 'appId'> {
  const { gitCloneUrl, gitBranch, rootDirectory, dockerfilePath, inMyName } = values
  return {
    ...((inMyName || gitCloneUrl !== app.git_clone_url) && { gitCloneUrl }),
    gitBranch,
    rootDirectory,
    dockerfilePath: dockerfilePath === '' ? null : dockerfilePath,
  }
}
