import type { Application } from '@berth/contract'

/** The source of an app while it is chosen in a form. The values of each way are kept while the other one is shown. */
export type ChosenSource = {
  /** Empty until it is chosen; then an account is the default if there is one. */
  via: 'account' | 'url' | 'image' | ''
  gitProviderId: number | null
  gitRepository: string
  /** The clone URL of the chosen repository. */
  repositoryUrl: string
  gitCloneUrl: string
  gitBranch: string
  /** Of an app that runs a ready image. */
  image: string
}

export const NO_SOURCE: ChosenSource = {
  via: '',
  gitProviderId: null,
  gitRepository: '',
  repositoryUrl: '',
  gitCloneUrl: '',
  gitBranch: '',
  image: '',
}

export function chosenSource(app: Application): ChosenSource {
  const { git_provider_id, git_repository, git_clone_url, git_branch } = app
  if (app.image !== '') return { ...NO_SOURCE, via: 'image', image: app.image }
  const shared = { gitBranch: git_branch }
  if (git_provider_id === null) return { ...NO_SOURCE, ...shared, via: git_clone_url === '' ? '' : 'url', gitCloneUrl: git_clone_url }
  return {
    ...NO_SOURCE,
    ...shared,
    via: 'account',
    gitProviderId: git_provider_id,
    gitRepository: git_repository,
    repositoryUrl: git_clone_url,
  }
}

/** What is cloned, and with which account. */
export function cloneOf({ via, gitProviderId, repositoryUrl, gitCloneUrl }: ChosenSource): { url: string; accountId: number | null } {
  if (via === 'image') return { url: '', accountId: null }
  return via === 'account' ? { url: repositoryUrl, accountId: gitProviderId } : { url: gitCloneUrl.trim(), accountId: null }
}
