import { type Method, operations, sockets } from '@berth/contract'
import { AppError } from '../lib/app-error.ts'

type Known = { pattern: RegExp; method: Method }

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:[A-Za-z]+/g, '[^/]+')}$`)
}

/** A known path with another method is a 405 that names the right methods, a WebSocket path says so, and everything else is a 404. */
export function createMissingRoute() {
  const known: Known[] = Object.values(operations).map((line) => ({ pattern: patternOf(line.path), method: line.method }))
  const upgrades = Object.values(sockets).map((line) => patternOf(line.path))
  return (url: string): AppError => {
    const path = url.split('?')[0] ?? ''
    const methods = known.filter((line) => line.pattern.test(path)).map((line) => line.method)
    if (methods.length > 0)
      return new AppError('method_not_allowed', { message: `This URL only accepts ${[...new Set(methods)].join(' and ')}.` })
    if (upgrades.some((pattern) => pattern.test(path)))
      return new AppError('invalid_request', { message: 'This is a WebSocket endpoint. Send an upgrade request.' })
    return new AppError('not_found', { message: 'There is nothing at this URL.' })
  }
}
