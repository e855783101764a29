import type { Finding as FoundByCheck } from '@berth/contract'
import { readConfig } from '../../config.ts'
import type { Command } from '../command.ts'
import { type Finding, runChecks } from './checks.ts'

const MARK: Record<Finding['level'], string> = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM' }

export const doctorCommand: Command = {
  about: 'Checks this Berth: data, disk, clock, git, Docker, server, certificates, domains and apps. Exits with 1 when there is a problem.',
  takes: [],
  options: { json: { type: 'boolean' } },
  async run({ flags }, { print }) {
    if (flags['json'] === true) {
      const found: FoundByCheck[] = []
      const onFinding = (check: string, { level, message, toDo = '' }: Finding) => void found.push({ check, level, message, toDo })
      await runChecks(readConfig(), new Date(), onFinding)
      print(JSON.stringify(found))
      return 0
    }
    const findings = await runChecks(readConfig(), new Date(), (name, { level, message, toDo }) => {
      print(`${MARK[level]}  ${name}: ${message}`)
      if (toDo !== undefined) print(`         → ${toDo}`)
    })
    return findings.some(({ level }) => level === 'problem') ? 1 : 0
  },
}
