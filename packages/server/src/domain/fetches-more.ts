import type { ApplicationChange } from '@berth/contract'
import type { AppRow } from './rows.ts'

/** Whether a change makes deployments fetch submodules or Git LFS files that they did not fetch before. */
export function fetchesMore(app: Pick<AppRow, 'submodules' | 'lfs'>, input: Pick<ApplicationChange, 'submodules' | 'lfs'>): boolean {
  return (input.submodules === true && app.submodules === 0) || (input.lfs === true && app.lfs === 0)
}
