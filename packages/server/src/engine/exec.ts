import { count, field, text } from './api/json.ts'
import { createLogReader } from './api/log-frames.ts'
import type { Transport } from './api/transport.ts'
import { pathOf } from './container-reads.ts'

export type ExecResult = { readonly exitCode: number; readonly output: string }

const MAX_OUTPUT_CHARS = 64 * 1024

/** Runs one command in a container, for the health check of databases. An argument array, never a shell command. */
export function createExec(deps: { transport: Transport }) {
  const { transport } = deps

  return async function exec(id: string, argv: readonly string[], signal: AbortSignal): Promise<ExecResult> {
    const body = { AttachStdout: true, AttachStderr: true, Cmd: argv, Privileged: false }
    const created = await transport.json({ method: 'POST', path: `${pathOf(id)}/exec`, body, signal })
    const path = `/exec/${encodeURIComponent(text(field(created, 'Id')))}`
    const answer = await transport.stream({ method: 'POST', path: `${path}/start`, body: { Detach: false, Tty: false }, signal })
    const reader = createLogReader({ isTty: false })
    let output = ''
    const keep = (lines: readonly { line: string }[]) => {
      for (const { line } of lines) if (output.length < MAX_OUTPUT_CHARS) output += `${line}\n`
    }
    for await (const chunk of answer.chunks) keep(reader.push(chunk))
    keep(reader.end())
    return { exitCode: count(field(await transport.json({ method: 'GET', path: `${path}/json`, signal }), 'ExitCode')), output }
  }
}
