import { parseDotenv, type Variable } from '@berth/contract'
import { CannotDo, WrongUsage } from './command.ts'
import { readText } from './files.ts'

export function parsePair(pair: string): Variable {
  const at = pair.indexOf('=')
  if (at < 1) throw new WrongUsage(`"${pair}" is not KEY=VALUE.`)
  return { key: pair.slice(0, at), value: pair.slice(at + 1) }
}

/** The variables of a .env file. One invalid line fails the whole file: half an environment is worse than none. */
export function readDotenv(file: string): Variable[] {
  const { variables, problems } = parseDotenv(readText(file))
  const [first] = problems
  if (first) throw new CannotDo('file_invalid', `${file}, line ${first.line}: ${first.message}`, 'Correct the line and try again.')
  return variables
}
