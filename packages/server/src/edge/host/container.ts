import { hash } from 'node:crypto'
import type { EdgePaths } from '../paths.ts'

/** What the controller needs from whatever runs HAProxy: a container of the engine, or a process in tests. */
export interface EdgeHost {
  /** On another machine: its engine says which port is taken. */
  readonly isElsewhere?: boolean
  /** `other`: one is running, but with another fingerprint. */
  inspectEdge(fingerprint: string): Promise<'absent' | 'running' | 'other' | 'stopped'>
  /** Returns the name of the image: pulled if a registry answers, otherwise built from `context`. */
  ensureImage(source: EdgeImageSource): Promise<string>
  /** Starts HAProxy, replacing a running one. */
  runEdge(spec: EdgeContainerSpec): Promise<void>
  /** Reloads HAProxy's files: a new worker takes over its sockets, and the previous one finishes its requests. */
  reloadEdge(): Promise<void>
  removeEdge(): Promise<void>
  /** Whether edges of other nodes run here. All of them may listen on the same ports, and the kernel spreads visitors over them. */
  hasSiblings(): Promise<boolean>
  /** The last lines HAProxy printed, which say why it does not start. */
  edgeOutput(): Promise<string>
}

export type EdgeImageSource = { readonly pull: string; readonly build: string; readonly context: () => Promise<Buffer> }

/** Everything a container for HAProxy needs, and nothing more. Host networking: it reaches every project's network without joining it. */
export type EdgeContainerSpec = {
  /** Of everything but the image. */
  readonly fingerprint: string
  readonly image: string
  readonly command: readonly string[]
  readonly user: '0:0'
  readonly network: 'host'
  readonly restart: 'always'
  readonly readOnlyRoot: true
  readonly mounts: readonly { readonly source: string; readonly target: string; readonly readOnly: boolean }[]
  readonly capDrop: readonly ['ALL']
  readonly capAdd: readonly string[]
  readonly noNewPrivileges: true
  readonly openFiles: number
  readonly stopSignal: 'SIGUSR1'
  readonly stopTimeoutS: number
}

/** The worker is root only until the ports are bound and the keys are read; SIGUSR1 lets requests in flight finish. */
export function edgeContainerSpec(paths: EdgePaths): Omit<EdgeContainerSpec, 'image'> {
  const spec = {
    command: ['haproxy', '-W', '-db', '-S', `${paths.masterSocket},mode,600`, '-f', paths.config],
    user: '0:0',
    network: 'host',
    restart: 'always',
    readOnlyRoot: true,
    mounts: [
      { source: paths.dir, target: paths.dir, readOnly: true },
      { source: paths.runDir, target: paths.runDir, readOnly: false },
    ],
    capDrop: ['ALL'],
    capAdd: ['NET_BIND_SERVICE', 'SETUID', 'SETGID', 'CHOWN', 'DAC_OVERRIDE', 'KILL'],
    noNewPrivileges: true,
    openFiles: 20_000,
    stopSignal: 'SIGUSR1',
    stopTimeoutS: 30,
  } as const
  return { ...spec, fingerprint: hash('sha256', JSON.stringify(spec), 'hex').slice(0, 16) }
}
