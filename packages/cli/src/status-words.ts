import { type Application, shownStatus } from '@berth/contract'

/** The status of an app in a table. */
export function statusWords(app: Pick<Application, 'status' | 'is_deployed'>): string {
  return shownStatus(app).replaceAll('_', ' ')
}
