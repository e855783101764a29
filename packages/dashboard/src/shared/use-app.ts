import type { Application } from '@berth/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { app } from '../features/apps/queries.ts'
import { useIdParam } from '../lib/route-state.ts'

/** The app in the URL; its layout has loaded it. */
export function useApp(): Application {
  return useSuspenseQuery(app(useIdParam('appId'))).data
}

export function hasDomains({ app_type }: Pick<Application, 'app_type'>): boolean {
  return app_type === 'web' || app_type === 'compose'
}

/** Whether its volumes and files are set here: a database has its own, and a compose file says which. */
export function hasStorage({ app_type }: Pick<Application, 'app_type'>): boolean {
  return app_type === 'web' || app_type === 'service'
}
