import { makeDataDir } from './lib/berth.ts'
import { printShare } from './lib/share.ts'

/** The overhead of every request: the session, the headers, the log line. */
await printShare({ name: 'GET /api/auth/me', dataDir: makeDataDir(), method: 'GET', path: '/api/auth/me', body: '', aim: 0.5 })
