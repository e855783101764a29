import { setTimeout as sleep } from 'node:timers/promises'
import { startBare } from './lib/bare.ts'
import { makeDataDir, remove, signIn, startBerth } from './lib/berth.ts'
import { residentMegabytes } from './lib/child.ts'
import { numberFlag, say, verdict } from './lib/numbers.ts'
import { seed } from './lib/seed.ts'

/** The memory of an idle server, after somebody has logged in and opened every page once. */
const idleSeconds = numberFlag('idle', 60)
const dataDir = makeDataDir()
await seed(dataDir, { projects: 10, appsEach: 10, deploymentsEach: 5, auditEntries: 500 })
const berth = await startBerth(dataDir) // the second start, which is the usual one: the code comes compiled
const bare = await startBare(dataDir, { method: 'GET', path: '/', answer: '{}' })
const headers = { cookie: await signIn(berth.url) }
for (const path of ['/api/auth/me', '/api/projects', '/api/apps', '/']) await (await fetch(berth.url + path, { headers })).arrayBuffer()
say(`idle for ${idleSeconds} s …`)
await sleep(idleSeconds * 1000)
const ours = residentMegabytes(berth.pid)
const theirs = residentMegabytes(bare.pid)
say(`bare Fastify: ${theirs.toFixed(1)} MB; Berth is ${(ours / theirs).toFixed(2)} times that`)
verdict('resident memory idle with 100 apps, MB', ours, { atMost: 90 })
await berth.stop()
await bare.stop()
remove(dataDir)
