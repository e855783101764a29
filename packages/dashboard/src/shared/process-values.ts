import type { AppProcess, Input } from '@berth/contract'

/** A process as it is typed. */
export type ProcessRow = { name: string; replicas: string; cpuLimit: string; memoryLimit: string; command: string }

export const NEW_PROCESS: ProcessRow = { name: '', replicas: '1', cpuLimit: '', memoryLimit: '', command: '' }

export function processRows(processes: readonly AppProcess[]): ProcessRow[] {
  return processes.map(({ name, command, replicas, cpuLimit, memoryLimit }) => ({
    name,
    replicas: String(replicas),
    cpuLimit: String(cpuLimit ?? ''),
    memoryLimit: String(memoryLimit ?? ''),
    command,
  }))
}

/** Text that is not a number becomes NaN, which the check refuses, as it does an empty name. */
export function processesIn(rows: readonly ProcessRow[]): NonNullable<Input<'apps.update'>['processes']> {
  return rows.map(({ name, replicas, cpuLimit, memoryLimit, command }) => ({
    name: name.trim(),
    command: command.trim(),
    replicas: replicas.trim() === '' ? Number.NaN : Number(replicas),
    ...(cpuLimit.trim() !== '' && { cpuLimit: Number(cpuLimit) }),
    ...(memoryLimit.trim() !== '' && { memoryLimit: Number(memoryLimit) }),
  }))
}
