import { createClient } from '@berth/contract'

/** The API client of the dashboard. The browser sends the session cookie. */
export const call = createClient()
