import type { Application } from '@berth/contract'

/** Where the code of an app comes from, as it is chosen in a form. What was chosen one way is kept while the other way is looked at. */
export type ChosenSource = {
  /** Empty until it is chosen: by an account where there is one. */
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
