import { type ChildProcess, spawn } from 'node:child_process'

/** What the server tells its supervisor, and the other way round. */
export type FromServer = { type: 'listening'; url: string } | { type: 'go_back'; reason: string }
export type ToServer = { type: 'update_over' }

const STOP_WITHIN_MS = 30_000

/** One run of the server. */
export function startServer(program: string, env: NodeJS.ProcessEnv) {
  const child: ChildProcess = spawn(program, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env })
  const listening = Promise.withResolvers<string>()
  const wantsBack = Promise.withResolvers<string>()
  const exited = Promise.withResolvers<string>()
  const startedAt = performance.now()
  child.on('message', (message: FromServer) => {
    if (message.type === 'listening') listening.resolve(message.url)
    else wantsBack.resolve(message.reason)
  })
  child.once('error', (cause) => exited.resolve(`it could not be started: ${cause.message}`))
  child.once('exit', (code, signal) => exited.resolve(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`))

  async function stop(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
    await exited.promise
    clearTimeout(timer)
  }

  return {
    listening: listening.promise,
    wantsBack: wantsBack.promise,
    /** Says how it ended. */
    exited: exited.promise,
    upMs: () => performance.now() - startedAt,
    send: (message: ToServer) => void (child.connected && child.send(message, () => undefined)),
    stop,
  }
}

export type ServerChild = ReturnType<typeof startServer>
