import { spawn } from 'node:child_process'
import path from 'node:path'
import { root } from './paths.mjs'

// Tools started by name or by `#!/usr/bin/env node` must find the pinned Node.js first.
const environment = { ...process.env, PATH: `${path.join(root, 'node_modules/.bin')}${path.delimiter}${process.env.PATH ?? ''}` }

/** Runs a program in the repository with our own output; answers its exit code (1 when it could not start or was killed). */
export function run(command, args, { env = {}, quiet = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...environment, ...env },
      stdio: quiet ? ['ignore', 'ignore', 'ignore'] : ['ignore', 'inherit', 'inherit'],
    })
    child.once('error', (error) => {
      console.error(`${command}: ${error.message}`)
      resolve(1)
    })
    child.once('close', (code) => resolve(code ?? 1))
  })
}

/** Like `run`, but keeps the output and answers it, so that a passing step stays silent. */
export function capture(command, args, { env = {}, cwd = root } = {}) {
  return new Promise((resolve) => {
    const chunks = []
    const child = spawn(command, args, { cwd, env: { ...environment, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    child.once('error', (error) => resolve({ code: 1, output: `${command}: ${error.message}` }))
    child.once('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() }))
  })
}
