import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { servers } from './queries.ts'

/** Somebody may have the command that adds a server. */
export function JoinNotice({ until }: { until: string }) {
  const client = useQueryClient()
  const stop = useMutation({
    mutationFn: () => call('servers.stopAdding'),
    onSuccess: (answer) => client.setQueryData(servers.queryKey, answer),
    onError: ({ message }) => toast(message, 'bad'),
  })
  return (
    <Notice
      tone="plain"
      actions={
        <Button pending={stop.isPending} onClick={() => stop.mutate()}>
          Revoke command
        </Button>
      }
    >
      Waiting for a server: the command works once and expires <RelativeTime at={until} />.
    </Notice>
  )
}
