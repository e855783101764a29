/** Where an engine answers. */
export type EngineAddress = { readonly socketPath: string } | { readonly host: string; readonly port: number }

/** From what Docker's tools take in DOCKER_HOST; nothing where it is something else. */
export function parseEngineAddress(text: string): EngineAddress | undefined {
  if (text.startsWith('unix://')) return { socketPath: text.slice('unix://'.length) }
  const [, host, port] = /^(?:tcp|http):\/\/([^:/]+):(\d+)\/?$/.exec(text) ?? []
  return host === undefined ? undefined : { host, port: Number(port) }
}

/** As Docker writes it in DOCKER_HOST. */
export function addressText(engine: EngineAddress): string {
  return 'socketPath' in engine ? `unix://${engine.socketPath}` : `tcp://${engine.host}:${engine.port}`
}
