import type { Command } from './command.ts'

type Commands = Readonly<Record<string, Command>>

const EVERYWHERE = [
  ['--json', "print the server's answer as JSON"],
  ['-h, --help', 'say how a command is used'],
] as const

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}

export function helpForAll(commands: Commands, version: string): string {
  const rows = Object.values(commands).map(({ usage, summary }) => [usage, summary] as const)
  return [
    `berth ${version}: deploys applications to a Berth server`,
    '',
    'Usage: berth <command> [options]',
    '',
    columns(rows),
    '',
    columns(EVERYWHERE),
    '',
    'An app is given by its name, by project/name, or by its number.',
    'BERTH_URL and BERTH_TOKEN take the place of what `berth login` has saved.',
    'Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not signed in, 130 interrupted.',
    '',
  ].join('\n')
}

export function helpFor({ usage, summary, options }: Command): string {
  const own = Object.entries(options).map(([name, option]) => {
    const value = option.type === 'string' ? ` <${option.value ?? 'text'}>` : ''
    return [`${option.short ? `-${option.short}, ` : ''}--${name}${value}`, option.summary] as const
  })
  return [`Usage: berth ${usage}`, '', summary, '', columns([...own, ...EVERYWHERE]), ''].join('\n')
}
