// `npm start`: installs and builds what is out of date, then becomes the server. Plain Node.js 20 and no dependency,
// because it runs before anything is installed.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { isBuilt } from './lib/build-stamp.mjs'
import { ensureInstalled } from './lib/install.mjs'
import { pinnedNode, root } from './lib/paths.mjs'
import { run } from './lib/processes.mjs'
import { environment, nodeFlags, serverBundle } from './lib/server-process.mjs'

const env = { ...environment, ...process.env }

async function prepare() {
  if (!(await ensureInstalled())) return false
  if (isBuilt()) return true
  console.log('Building …')
  return (await run(pinnedNode, [path.join(root, 'scripts/build.mjs')])) === 0
}

function becomeServer() {
  const args = [...nodeFlags, serverBundle, ...process.argv.slice(2)]
  // Replaces this process, so that no second Node.js sits in memory; Node.js 20 cannot, and is there for the first start only.
  if (typeof process.execve === 'function') process.execve(pinnedNode, [pinnedNode, ...args], env)
  handOver(args)
}

/** Runs the server as a child: same signals, same exit code. */
function handOver(args) {
  const server = spawn(pinnedNode, args, { stdio: 'inherit', env })
  // At a terminal Ctrl-C reaches the whole process group; sending it again would be a second Ctrl-C.
  process.on('SIGINT', () => process.stdin.isTTY || server.kill('SIGINT'))
  process.on('SIGTERM', () => server.kill('SIGTERM'))
  process.on('SIGHUP', () => server.kill('SIGHUP'))
  server.once('error', (error) => {
    console.error(`The server could not be started: ${error.message}`)
    process.exitCode = 1
  })
  server.once('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name)
    process.kill(process.pid, signal)
  })
}

if (await prepare()) becomeServer()
else process.exitCode = 1
