import type { AppProcess } from '@berth/contract'

/** One process a line, as in `worker=2: node worker.js`. Without a command it is that of the repository. */
export function processesText(processes: readonly AppProcess[]): string {
  return processes.map(({ name, command, replicas }) => `${name}=${replicas}${command === '' ? '' : `: ${command}`}`).join('\n')
}

/** Without a number there is one. A number or a name that is none is refused by the check. */
export function processesIn(text: string): AppProcess[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const colon = line.indexOf(':')
      const [name = '', number] = (colon === -1 ? line : line.slice(0, colon)).split('=')
      return {
        name: name.trim(),
        command: colon === -1 ? '' : line.slice(colon + 1).trim(),
        replicas: number === undefined ? 1 : number.trim() === '' ? Number.NaN : Number(number),
      }
    })
}
