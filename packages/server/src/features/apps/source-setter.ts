import type { ApplicationChange } from '@berth/contract'
import { isStaff } from '../../domain/caller.ts'
import { fetchesMore } from '../../domain/fetches-more.ts'
import type { AppRow } from '../../domain/rows.ts'

/**
 * Whose rights decide what may be cloned after a change. To name the clone URL or the image, also the same one again, is the caller's own act.
 * Another branch alone can take rights away and never adds any: an admin who picks one has not looked at the URL, and a user who
 * picks one has left what the admin chose. So has a user who has more fetched than the repository: whoever can push to it names what.
 */
export function sourceSetter(app: AppRow, input: ApplicationChange, caller: Parameters<typeof isStaff>[0] & { id: number }) {
  const isUrlNamed = input.gitCloneUrl !== undefined || Boolean(input.image) || input.builder === 'image'
  const isBranchChanged = input.gitBranch !== undefined && input.gitBranch !== app.git_branch
  const isChanged = isBranchChanged || fetchesMore(app, input)
  return isUrlNamed || (isChanged && !isStaff(caller)) ? { source_set_by: caller.id } : {}
}
