import type { ApplicationChange } from '@berth/contract'
import type { AppRow } from '../../domain/rows.ts'
import { fieldError } from '../../lib/app-error.ts'

const INPUT = ['gitProviderId', 'gitRepository', 'gitCloneUrl', 'gitBranch', 'builder', 'image', 'submodules', 'lfs'] as const
const STORED = ['git_provider_id', 'git_repository', 'git_clone_url', 'git_branch', 'builder', 'image', 'submodules', 'lfs'] as const

/** What was found out about a source before the transaction holds only for the source that the app had then. */
export function refuseOtherSource(input: ApplicationChange, { before, now }: { before: AppRow; now: AppRow }): void {
  const isAboutSource = INPUT.some((field) => input[field] !== undefined)
  if (isAboutSource && STORED.some((column) => before[column] !== now[column]))
    throw fieldError('invalid_source', 'gitRepository', 'the source of the app was changed at the same time; load the app and try again')
}
