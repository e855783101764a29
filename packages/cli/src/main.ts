#!/usr/bin/env node
import { run } from './run.ts'

const interrupted = new AbortController()
// The first Ctrl-C ends the command cleanly; a second one exits at once.
process.once('SIGINT', () => interrupted.abort())
process.stdout.on('error', () => process.exit(1)) // the reader of the pipe has closed it

process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal: interrupted.signal,
})
