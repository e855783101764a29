import type { RoutedApp } from './store.ts'

type App = Pick<RoutedApp, 'id' | 'port' | 'activeId'>
type Settings = { port: number | null; healthcheckPath: string }
type Deps = {
  releaseOf: (appId: number, sealedConfig: string) => Settings
  sealedConfigOf: (deploymentId: number) => Promise<string>
}

/** The port and the health check path of each live release. The settings of a release never change, so they are read and decrypted once. */
export function createReleasePorts({ releaseOf, sealedConfigOf }: Deps) {
  /** A release without its own port uses the current port of the app. */
  const known = new Map<number, { deploymentId: number } & Partial<Settings>>()

  /** Call this before `of` for these apps. */
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

  function pathOf({ id, activeId }: App): string {
    const found = known.get(id)
    return found?.deploymentId === activeId ? (found.healthcheckPath ?? '') : ''
  }

  /** A release that cannot be decrypted, perhaps after a restored backup, must not keep all other apps from being routed. */
  function opened(appId: number, sealedConfig: string): Partial<Settings> {
    try {
      const { port, healthcheckPath } = releaseOf(appId, sealedConfig)
      return { port, healthcheckPath }
    } catch {
      return {}
    }
  }

  return { learn, of, pathOf }
}
