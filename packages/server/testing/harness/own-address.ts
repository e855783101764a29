import { networkInterfaces } from 'node:os'

/** An address of this machine that is reachable from outside. */
export function ownAddress(): string {
  const found = Object.entries(networkInterfaces()).flatMap(([name, entries]) =>
    /^(docker|br-|veth|lo)/.test(name) ? [] : (entries ?? []),
  )
  const address = found.find((entry) => entry.family === 'IPv4' && !entry.internal)?.address
  if (address === undefined) throw new Error('this machine has no address that a name could point to')
  return address
}
