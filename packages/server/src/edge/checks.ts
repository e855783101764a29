import type { EdgeRoutes } from './edge.ts'
import { assignChecks, type Checked, checkCommands, targetsToCheck } from './haproxy/checks.ts'
import { mapChanges } from './haproxy/commands.ts'
import type { HaproxyRuntime } from './haproxy/runtime.ts'
import type { EdgeDisk } from './map-files.ts'
import type { EdgePaths } from './paths.ts'

type Deps = { paths: EdgePaths; disk: Pick<EdgeDisk, 'read'>; runtime: Pick<HaproxyRuntime, 'orders' | 'readMap' | 'changeMap'> }

/**
 * Which targets HAProxy itself checks, so that it stops using those of a lost server while the control plane is down. Without targets on
 * other servers there is nothing of this in its configuration.
 */
export function createEdgeChecks({ paths, disk, runtime }: Deps) {
  let checked: Checked | undefined
  let applied: Checked | undefined
  let isOn = false

  /** After a start: what HAProxy was told to check before. */
  async function load(): Promise<void> {
    if (checked !== undefined) return
    const lines = ((await disk.read(paths.checks)) ?? '').split('\n').filter((line) => line !== '')
    checked = new Map(lines.map((line) => line.split(' ')).map(([target = '', name = '']) => [target, name]))
    isOn = checked.size > 0
  }

  /** With the first such target HAProxy gets another configuration. Once it has that, it keeps it. */
  function want(routes: EdgeRoutes): void {
    const wanted = targetsToCheck(routes)
    checked = assignChecks(checked ?? new Map(), wanted)
    isOn ||= wanted.length > 0
  }

  /** Before the map names a backend it checks the right target, and after a failure everything is told again. */
  async function apply({ isFull }: { isFull: boolean }): Promise<void> {
    if (!isOn || checked === undefined) return
    const wanted = checked
    const entries = await runtime.readMap(paths.checks)
    const changes = mapChanges(entries, wanted, new Set())
    const before = isFull ? undefined : applied
    applied = undefined
    await runtime.changeMap(
      paths.checks,
      changes.filter(({ kind }) => kind === 'del'),
    )
    await runtime.orders(checkCommands(before, wanted))
    await runtime.changeMap(
      paths.checks,
      changes.filter(({ kind }) => kind !== 'del'),
    )
    applied = wanted
  }

  return { load, want, apply, current: (): Checked | undefined => (isOn ? checked : undefined) }
}

export type EdgeChecks = ReturnType<typeof createEdgeChecks>
