import { parseDotenv } from '@berth/contract'
import { AreaField } from '../../components/field.tsx'
import { plural } from '../../lib/sizes.ts'

/** `.env` text, parsed while typing. */
export function EnvironmentField({ text, onText, problem }: { text: string; onText: (text: string) => void; problem: string | undefined }) {
  const { variables, problems } = parseDotenv(text)
  const [first] = problems
  return (
    <AreaField
      label="Variables, one per line"
      mono
      rows={4}
      placeholder={'KEY=value\nGREETING="hello world"'}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onText={onText}
      problem={problem ?? (first && `Line ${first.line}: ${first.message}`)}
      hint={variables.length === 0 ? 'Same format as a .env file' : plural(variables.length, 'variable')}
    />
  )
}
