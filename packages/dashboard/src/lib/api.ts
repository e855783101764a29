import { createClient } from '@berth/contract'

/** The one client of the dashboard; the session cookie travels by itself. */
export const call = createClient()
