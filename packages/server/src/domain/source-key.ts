import type { AppRow } from './rows.ts'

/** What a commit of an app was looked up in. With another clone URL or branch it says nothing about the app any more. */
export function sourceKey({ git_clone_url, git_branch }: Pick<AppRow, 'git_clone_url' | 'git_branch'>): string {
  return `${git_clone_url} ${git_branch}`
}
