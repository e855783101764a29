import { Fact, Facts } from '../../components/facts.tsx'
import { fieldWords, valueWords } from './value-words.ts'

/** What an entry says was there before or after, as names and values. */
export function ChangedValues({ title, value }: { title: string; value: unknown }) {
  const fields = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [['value', value] as const]
  return (
    <div className="min-w-0">
      <p className="mb-1 text-ink-soft">{title}</p>
      {/* A box that can scroll must be reachable by keyboard */}
      <div tabIndex={0} className="max-h-64 overflow-auto rounded bg-sunken p-2">
        <Facts>
          {fields.map(([name, each]) => (
            <Fact key={name} name={fieldWords(name)}>
              {valueWords(each)}
            </Fact>
          ))}
        </Facts>
      </div>
    </div>
  )
}
