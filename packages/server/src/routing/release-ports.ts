import type { RoutedApp } from './store.ts'

type App = Pick<RoutedApp, 'id' | 'port' | 'activeId'>
type Deps = {
  portOf: (appId: number, sealedConfig: string) => number | null
  sealedConfigOf: (deploymentId: number) => Promise<string>
}

/** The port of each live release. What a release was started with never changes, so it is read and opened once. */
export function createReleasePorts({ portOf, sealedConfigOf }: Deps) {
  /** Without a port of its own, a release has the one that the app has now. */
  const known = new Map<number, { deploymentId: number; port?: number | null }>()

  /** Before `of` is asked about these apps. */
  async function learn(apps: readonly App[]): Promise<void> {
    for (const { id, activeId } of apps) {
      if (activeId === null || known.get(id)?.deploymentId === activeId) continue
      const sealedConfig = await sealedConfigOf(activeId)
      known.set(id, { deploymentId: activeId, ...(sealedConfig !== '' && opened(id, sealedConfig)) })
    }
  }

  function of({ id, port, activeId }: App): number | null {
    const found = activeId === null ? undefined : known.get(id)
    return found?.deploymentId === activeId && found?.port !== undefined ? found.port : port
  }

  /** One release that cannot be read, after a restored backup perhaps, must not keep every other app from being routed. */
  function opened(appId: number, sealedConfig: string): { port?: number | null } {
    try {
      return { port: portOf(appId, sealedConfig) }
    } catch {
      return {}
    }
  }

  return { learn, of }
}
