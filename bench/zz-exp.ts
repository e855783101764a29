import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { edgeMaps, mapFile } from '../packages/server/src/edge/edge-maps.ts'
import { edgePages } from '../packages/server/src/edge/edge-pages.ts'
import { edgePaths, MAP_NAMES } from '../packages/server/src/edge/edge-paths.ts'
import { haproxyConfig } from '../packages/server/src/edge/haproxy-config.ts'
import { createAccessCounts } from '../packages/server/src/edge/access-counts.ts'
import { selfSignedCertificate } from '../packages/server/src/edge/placeholder-certificate.ts'
import { startBare } from './lib/bare.ts'
import { freePort, processorSeconds } from './lib/child.ts'
import { rate } from './lib/load.ts'
const tmp = mkdtempSync('/tmp/exp/')
const app = await startBare(tmp, { method: 'GET', path: '/', answer: JSON.stringify({ text: 'x'.repeat(200) }) })
const port = Number(new URL(app.url).port)
type V = { name: string; f: (t: string) => string; reader?: boolean }
const drop = (...res: RegExp[]) => (t: string) => t.split('\n').filter((l) => !res.some((r) => r.test(l))).join('\n')
const variants: V[] = [
  { name: 'as is', f: (t) => t },
  { name: 'no reader', f: (t) => t, reader: false },
  { name: 'no log', f: drop(/^ {2}log /) },
  { name: 'nbthread 1', f: (t) => t.replace('  maxconn', '  nbthread 1\n  maxconn') },
  { name: 'no track', f: drop(/track-sc0/) },
  { name: 'bufsize 16k', f: (t) => t.replace('tune.bufsize 32768', 'tune.bufsize 16384') },
  { name: 'no colon regex', f: drop(/-m sub : /) },
  { name: 'no del/set hdr', f: drop(/del-header/, /set-header X-F/) },
  { name: 'reuse always', f: (t) => t.replaceAll('http-reuse safe', 'http-reuse always') },
  { name: 'no purge', f: (t) => t.replaceAll(' pool-purge-delay 1s', '') },
  { name: 'no l7 retry', f: drop(/retry-on/, /disable-l7/) },
  { name: 'no abortonclose', f: drop(/abortonclose/) },
  { name: 'noshared idle', f: (t) => t.replace('  maxconn', '  tune.idle-pool.shared off\n  maxconn') },
  { name: 'as is', f: (t) => t },
]
const wanted = process.argv[2]?.split(',')
for (const v of variants) {
  if (wanted && !wanted.some((w) => v.name.includes(w))) continue
  const dir = mkdtempSync('/tmp/exp/')
  const paths = edgePaths(dir)
  for (const d of [paths.runDir, paths.mapsDir, paths.pagesDir, paths.certificatesDir]) mkdirSync(d, { recursive: true })
  for (const [file, text] of edgePages()) writeFileSync(paths.page(file), text)
  writeFileSync(paths.certificateList, '')
  writeFileSync(paths.placeholder, selfSignedCertificate({ host: 'x.invalid', notBefore: new Date(), notAfter: new Date(Date.now() + 1e9) }))
  const { maps } = edgeMaps({ routes: { apps: [{ appKey: 'app-1', hosts: [{ host: 'bench.example.test', redirectHttps: true, hsts: true }], targets: [{ ip: '127.0.0.1', port }] }] }, certificates: [], challenges: new Map() })
  for (const name of MAP_NAMES) writeFileSync(paths.map(name), mapFile(maps[name]))
  const httpPort = await freePort()
  const text = v.f(haproxyConfig({ dir, httpPort, httpsPort: await freePort(), ipv6: false, maxConnections: 2000 }).text)
  writeFileSync(paths.config, text)
  const child = spawn('/usr/sbin/haproxy', ['-db', '-f', paths.config], { stdio: ['ignore', 'ignore', 'inherit'] })
  await sleep(400)
  const counts = v.reader === false ? undefined : createAccessCounts({ socketPath: paths.socket, now: () => new Date() })
  await sleep(100)
  const ask = async (s: number) => {
    const b = processorSeconds(child.pid)
    const r = await rate({ method: 'GET', path: '/', headers: { Host: 'bench.example.test' }, body: '', connections: 32, url: `http://127.0.0.1:${httpPort}` }, s)
    return [r, ((processorSeconds(child.pid) - b) * 1e6) / (r * s)]
  }
  try {
    await ask(1)
    const a = await ask(2)
    const b = await ask(2)
    console.log(v.name.padEnd(18), [a, b].map(([r, c]) => `${r.toFixed(0)}/s ${c.toFixed(1)}µs`).join('  '))
  } catch (e) { console.log(v.name, String(e).slice(0, 300)) }
  counts?.close()
  child.kill('SIGKILL')
}
const d = await rate({ method: 'GET', path: '/', headers: {}, body: '', connections: 32, url: app.url }, 2)
console.log('direct', d.toFixed(0))
await app.stop()
process.exit(0)
