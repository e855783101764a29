import type { AppRow } from './rows.ts'

/** What a commit of an app was looked up in. With another clone URL, branch or image it says nothing about the app any more. */
export function sourceKey({ git_clone_url, git_branch, image }: Pick<AppRow, 'git_clone_url' | 'git_branch' | 'image'>): string {
  return image === '' ? `${git_clone_url} ${git_branch}` : image
}
