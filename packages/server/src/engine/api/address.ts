/** Where an engine answers. */
export type EngineAddress = { readonly socketPath: string } | { readonly host: string; readonly port: number }

/** Parses what Docker's tools accept in DOCKER_HOST; undefined for anything else. */
export function parseEngineAddress(text: string): EngineAddress | undefined {
  if (text.startsWith('unix://')) return { socketPath: text.slice('unix://'.length) }
  const [, host, port] = /^(?:tcp|http):\/\/([^:/]+):(\d+)\/?$/.exec(text) ?? []
  return host === undefined ? undefined : { host, port: Number(port) }
}

/** In the form of DOCKER_HOST. */
export function addressText(engine: EngineAddress): string {
  return 'socketPath' in engine ? `unix://${engine.socketPath}` : `tcp://${engine.host}:${engine.port}`
}
