import type { SessionInfo } from '@berth/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Tag } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { plural } from '../../lib/sizes.ts'
import { clientWords } from './client-words.ts'
import { sessionKeys, sessions } from './queries.ts'

/** Where the user is logged in, and how to end that. */
export function SessionsCard() {
  const client = useQueryClient()
  const query = useQuery(sessions)
  const end = useMutation({
    mutationFn: (id: string | undefined) => (id === undefined ? call('auth.endOtherSessions') : call('auth.endSession', { id })),
    onSuccess: async ({ ended }) => {
      await client.invalidateQueries({ queryKey: sessionKeys.list })
      toast(`${plural(ended, 'session')} logged out.`)
    },
    onError: (error) => toast(error.message, 'bad'),
  })
  const others = query.data?.filter(({ isCurrent }) => !isCurrent).length ?? 0
  return (
    <Card
      title="Sessions"
      flush
      actions={
        others > 0 && (
          <Button pending={end.isPending && end.variables === undefined} onClick={() => end.mutate(undefined)}>
            Log out all others
          </Button>
        )
      }
    >
      <QueryView query={query}>
        {(list) => (
          <ul className="divide-y divide-line">
            {list.toSorted(currentFirst).map((session) => (
              <Row
                key={session.id}
                session={session}
                pending={end.isPending && end.variables === session.id}
                onEnd={() => end.mutate(session.id)}
              />
            ))}
          </ul>
        )}
      </QueryView>
    </Card>
  )
}

const currentFirst = (a: SessionInfo, b: SessionInfo): number => Number(b.isCurrent) - Number(a.isCurrent)

function Row({ session, pending, onEnd }: { session: SessionInfo; pending: boolean; onEnd: () => void }) {
  const { client, address, createdAt, isCurrent } = session
  return (
    <li className="flex min-h-14 items-center justify-between gap-3 px-4 py-2 text-sm">
      <div className="min-w-0">
        <p className="flex items-center gap-2">
          <span className="truncate font-medium" title={client}>
            {clientWords(client)}
          </span>
          {isCurrent && <Tag>this session</Tag>}
        </p>
        <p className="text-[13px] text-ink-soft">
          {address === '' ? 'Logged in' : `${address} · logged in`} <RelativeTime at={createdAt} />
        </p>
      </div>
      {!isCurrent && (
        <Button pending={pending} onClick={onEnd}>
          Log out<span className="sr-only"> of {clientWords(client)}</span>
        </Button>
      )}
    </li>
  )
}
