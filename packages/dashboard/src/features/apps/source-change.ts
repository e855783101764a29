import type { Application, Input } from '@berth/contract'

export type SourceValues = {
  gitCloneUrl: string
  gitBranch: string
  rootDirectory: string
  dockerfilePath: string
  /** Sets the same clone URL again as the current user. */
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

/** Whoever sends a clone URL becomes the one who set it, which decides what it may access. So an unchanged one is only sent on request. */
export function sourceChange(app: Application, values: SourceValues): Omit<Input<'apps.update'>, 'appId'> {
  const { gitCloneUrl, gitBranch, rootDirectory, dockerfilePath, inMyName } = values
  return {
    ...((inMyName || gitCloneUrl !== app.git_clone_url) && { gitCloneUrl }),
    gitBranch,
    rootDirectory,
    dockerfilePath: dockerfilePath === '' ? null : dockerfilePath,
  }
}
