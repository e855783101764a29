import { nameOf } from './arguments.ts'
import type { Command } from './command.ts'
import { commandsUnder } from './find-command.ts'

export type Topics = Readonly<Record<string, readonly Command[]>>
type Rows = readonly (readonly [string, string])[]

const EVERYWHERE: Rows = [
  ['--json', "print the server's answer as JSON"],
  ['-h, --help', 'show how to use a command'],
]

function widthOf(rows: Rows): number {
  return Math.max(0, ...rows.map(([left]) => left.length))
}

function columns(rows: Rows, width = widthOf(rows)): string {
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n')
}

const rowsOf = (commands: readonly Command[]): Rows => commands.map(({ usage, summary }) => [usage, summary] as const)

export function helpForAll(topics: Topics, version: string): string {
  const width = widthOf(rowsOf(Object.values(topics).flat()))
  return [
    `berth ${version}: the Berth command line`,
    '',
    'Usage: berth <command> [options]',
    '',
    ...Object.entries(topics).flatMap(([topic, commands]) => [topic, columns(rowsOf(commands), width), '']),
    'Everywhere',
    columns(EVERYWHERE, width),
    '',
    'Give an app as its name, project/name or ID, and a project as its name or ID.',
    'The environment variables BERTH_URL and BERTH_TOKEN override what `berth login` saved.',
    'Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not logged in, 130 interrupted.',
    '',
  ].join('\n')
}

function optionRows({ options }: Command): Rows {
  return Object.entries(options).map(([name, option]) => {
    const value = option.type === 'string' ? ` <${option.value ?? 'text'}>` : ''
    return [`${option.short ? `-${option.short}, ` : ''}--${name}${value}`, option.summary] as const
  })
}

export function helpFor(command: Command, all: readonly Command[]): string {
  const { usage, summary } = command
  const related = commandsUnder(all, nameOf(usage)).filter((other) => other !== command)
  const seeAlso = related.length === 0 ? [] : ['', 'See also:', columns(rowsOf(related))]
  return [`Usage: berth ${usage}`, '', summary, '', columns([...optionRows(command), ...EVERYWHERE]), ...seeAlso, ''].join('\n')
}

/** For words that several commands begin with, such as "env". */
export function helpForGroup(commands: readonly Command[]): string {
  return [...commands.map(({ usage, summary }) => `berth ${usage}\n    ${summary}`), ''].join('\n')
}
