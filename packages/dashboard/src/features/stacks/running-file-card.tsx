import type { Application } from '@berth/contract'
import { useQuery } from '@tanstack/react-query'
import { Card } from '../../components/card.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { runningFile } from './queries.ts'

/** The compose file of the live release, beside what Berth made of it. */
export function RunningFileCard({ app }: { app: Application }) {
  return (
    <Card title="What runs" note="The Compose file of the live release, and what Berth made of it.">
      <QueryView query={useQuery(runningFile(app.id))}>
        {({ deploymentId, file, source, running, notes }) =>
          deploymentId === null ? (
            <p className="text-sm text-ink-soft">Nothing is live yet.</p>
          ) : (
            <div className="grid gap-4">
              <div className="grid gap-4 lg:grid-cols-2">
                {source !== '' && <Text title={file === '' ? 'As pasted' : file} text={source} />}
                <Text title="As Berth runs it" text={running} />
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
            </div>
          )
        }
      </QueryView>
    </Card>
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
