import type { Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { composeFile } from '../features/stacks/queries.ts'

/** Whether there is something to deploy: a template, a repository, an image or a pasted compose file. True until that is known. */
export function useHasSource(app: Application): boolean {
  const mayBePasted = app.app_type === 'compose' && app.git_clone_url === ''
  const { data: pasted } = useQuery({ ...composeFile(app.id), enabled: mayBePasted })
  if (mayBePasted) return pasted?.composeFile !== ''
  return app.app_type === 'database' || app.git_clone_url !== '' || app.image !== ''
}
