import type { RoutedApp } from './store.ts'

/** The port of each live release. What a release was started with never changes, so it is opened once. */
export function createReleasePorts(portOf: (appId: number, sealedConfig: string) => number | null) {
  const known = new Map<number, { deploymentId: number; port: number | null }>()

  function of(app: Pick<RoutedApp, 'id' | 'port' | 'activeId' | 'sealedConfig'>): number | null {
    const { id, activeId, sealedConfig } = app
    if (activeId === null || sealedConfig === null || sealedConfig === '') return app.port
    const kept = known.get(id)
    if (kept?.deploymentId === activeId) return kept.port
    const port = opened(app, sealedConfig)
    known.set(id, { deploymentId: activeId, port })
    return port
  }

  /** One release that cannot be read, after a restored backup perhaps, must not keep every other app from being routed. */
  function opened(app: Pick<RoutedApp, 'id' | 'port'>, sealedConfig: string): number | null {
    try {
      return portOf(app.id, sealedConfig)
    } catch {
      return app.port
    }
  }

  return { of }
}
