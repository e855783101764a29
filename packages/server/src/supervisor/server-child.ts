import { type ChildProcess, spawn } from 'node:child_process'

/** `checked`: it must not write, because the database may go back. */
type ServerMode = 'normal' | 'checked'
export type Wanted = { readonly version: string; readonly mode: ServerMode }

/**
 * What the server tells its supervisor, and the other way round. Before a switch the running server asks to `load` the next version and
 * leaves once that is `next_loaded`; the next one says when it is `loaded`, and waits for `begin`.
 */
export type FromServer =
  | { type: 'listening'; url: string }
  | { type: 'go_back'; reason: string }
  | ({ type: 'load' } & Wanted)
  | { type: 'forget_loaded' }
  | { type: 'loaded' }
export type ToServer = { type: 'update_over' } | { type: 'next_loaded' } | { type: 'begin' }

const STOP_WITHIN_MS = 30_000

/** `told`: it loads its code, and waits. */
export type Begins = 'now' | 'told'
/** What a running server wants to be done with the next one. */
export type Asked = { onLoad: (wanted: Wanted) => void; onForget: () => void }

/** One run of the server. */
export function startServer(program: string, env: NodeJS.ProcessEnv, { onLoad, onForget }: Asked) {
  const child: ChildProcess = spawn(program, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env })
  const listening = Promise.withResolvers<string>()
  const wantsBack = Promise.withResolvers<string>()
  const loaded = Promise.withResolvers<void>()
  const exited = Promise.withResolvers<string>()
  const startedAt = performance.now()
  child.on('message', (message: FromServer) => {
    if (message.type === 'listening') listening.resolve(message.url)
    else if (message.type === 'go_back') wantsBack.resolve(message.reason)
    else if (message.type === 'loaded') loaded.resolve()
    else if (message.type === 'load') onLoad({ version: message.version, mode: message.mode })
    else if (message.type === 'forget_loaded') onForget()
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
    loaded: loaded.promise,
    /** Says how it ended. */
    exited: exited.promise,
    upMs: () => performance.now() - startedAt,
    send: (message: ToServer) => void (child.connected && child.send(message, () => undefined)),
    stop,
  }
}

export type ServerChild = ReturnType<typeof startServer>
