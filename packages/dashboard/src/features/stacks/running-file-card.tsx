import type { Application, StackChange } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Card } from '../../components/card.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { runningFile } from './queries.ts'

/** The compose file of the live release, beside what Berth made of it. */
export function RunningFileCard({ app }: { app: Application }) {
  return (
    <Card title="Live Compose file" note="The file of the live release, and what Berth runs from it.">
      <QueryView query={useQuery(runningFile(app.id))}>
        {({ deploymentId, file, source, running, notes, previousId, changes }) =>
          deploymentId === null ? (
            <p className="text-sm text-ink-soft">Nothing is live yet.</p>
          ) : (
            <div className="grid gap-4">
              <div className="grid gap-4 lg:grid-cols-2">
                {source !== '' && <Text title={file === '' ? 'Pasted file' : file} text={source} />}
                <Text title="What Berth runs" text={running} />
              </div>
              {notes.length > 0 && (
                <ul className="grid list-disc gap-1 pl-5 text-sm text-ink-soft">
                  {notes.map((note) => (
                    <li key={note} className="[overflow-wrap:anywhere]">
                      {note}
                    </li>
                  ))}
                </ul>
              )}
              {previousId !== null && <Changes changes={changes} />}
            </div>
          )
        }
      </QueryView>
    </Card>
  )
}

/** How the live release differs from the one before. */
function Changes({ changes }: { changes: readonly StackChange[] }) {
  return (
    <section className="grid gap-2">
      <h3 className="text-[13px] font-medium">Changes since the last release</h3>
      {changes.length === 0 ? (
        <p className="text-sm text-ink-soft">No settings changed.</p>
      ) : (
        <ul className="grid gap-1 font-mono text-[13px]">
          {changes.map(({ service, key, before, after }) => (
            <li key={`${service} ${key}`} className="[overflow-wrap:anywhere]">
              <span>{key === '' ? service : `${service}.${key}`}</span>
              {key === '' && <span className="text-ink-soft">{before === null ? ' added' : ' removed'}</span>}
              {key !== '' && before !== null && <del className="block pl-4 text-bad no-underline">- {before}</del>}
              {key !== '' && after !== null && <ins className="block pl-4 text-good no-underline">+ {after}</ins>}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Text({ title, text }: { title: string; text: string }) {
  return (
    <section className="min-w-0">
      <div className="flex items-center justify-between gap-2">
        <h3 className="min-w-0 text-[13px] font-medium [overflow-wrap:anywhere]">{title}</h3>
        <CopyButton text={text} label={`Copy ${title}`} />
      </div>
      {/* A long file is scrolled, also with the keyboard. */}
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it can be scrolled
        tabIndex={0}
        aria-label={title}
        className="max-h-96 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-[13px]"
      >
        {text}
      </pre>
    </section>
  )
}
