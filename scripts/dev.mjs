// `npm run dev`: the server from its sources, restarted when they change, and Vite for the dashboard.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { ensureInstalled } from './lib/install.mjs'
import { bin, pinnedNode, root } from './lib/paths.mjs'

const dashboard = path.join(root, 'packages/dashboard')

function start(args) {
  const child = spawn(pinnedNode, args, { cwd: root, stdio: 'inherit' })
  child.once('error', (error) => console.error(error.message))
  return child
}

if (await ensureInstalled()) {
  const children = [start(['--watch-path', 'packages/server/src', '--watch-path', 'packages/contract/src', 'packages/server/src/main.ts'])]
  if (existsSync(path.join(dashboard, 'vite.config.ts'))) children.push(start([bin('vite'), dashboard]))
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      for (const child of children) child.kill(signal)
    })
  }
} else {
  process.exitCode = 1
}
