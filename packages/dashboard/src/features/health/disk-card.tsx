import { CLEANABLE, type Cleanable, type DiskKind, type DiskUsage, sizeWords } from '@berth/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { CheckField } from '../../components/field.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Skeleton } from '../../components/states.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { plural } from '../../lib/sizes.ts'
import { diskUsage } from './queries.ts'

const WORDS = {
  images: 'Images of releases',
  cache: 'Build cache',
  volumes: 'Volumes',
  logs: 'Deployment logs',
  database: "Berth's database",
} as const satisfies Record<DiskKind, string>

/** What takes up disk space, and a clean-up that says first what it would free. */
export function DiskCard() {
  const [open, setOpen] = useState(false)
  const query = useQuery(diskUsage)
  return (
    <Card
      title="Disk usage"
      note="Of Berth and its apps."
      flush
      actions={
        <Button disabled={!query.data?.kinds.some(({ freeable }) => freeable > 0)} onClick={() => setOpen(true)}>
          Clean up…
        </Button>
      }
    >
      <QueryView query={query} loading={<Skeleton rows={5} height="h-[2.18rem]" />}>
        {({ kinds }) => <Kinds kinds={kinds} />}
      </QueryView>
      {open && query.data && <CleanUp usage={query.data} onClose={() => setOpen(false)} />}
    </Card>
  )
}

function Kinds({ kinds }: Pick<DiskUsage, 'kinds'>) {
  const most = Math.max(1, ...kinds.map(({ bytes }) => bytes))
  return (
    <ul className="divide-y divide-line">
      {kinds.map(({ kind, bytes, freeable }) => (
        <li key={kind} className="grid gap-1.5 px-4 py-2.5 text-sm">
          <div className="flex justify-between gap-4">
            <span>{WORDS[kind]}</span>
            <span className="text-ink-soft tabular-nums">
              {sizeWords(bytes)}
              {freeable > 0 && `, ${sizeWords(freeable)} can be freed`}
            </span>
          </div>
          <span aria-hidden="true" className="h-1 rounded bg-accent-solid" style={{ width: `${Math.max(0.5, (bytes / most) * 100)}%` }} />
        </li>
      ))}
    </ul>
  )
}

function CleanUp({ usage, onClose }: { usage: DiskUsage; onClose: () => void }) {
  const client = useQueryClient()
  const [picked, setPicked] = useState<readonly Cleanable[]>(['cache'])
  const freeableOf = (kind: Cleanable): number => usage.kinds.find((each) => each.kind === kind)?.freeable ?? 0
  const clean = useMutation({
    mutationFn: () => call('disk.cleanUp', { kinds: [...picked] }),
    onSuccess: async ({ freedBytes }) => {
      await client.invalidateQueries({ queryKey: diskUsage.queryKey })
      toast(`${sizeWords(freedBytes)} freed.`)
      onClose()
    },
  })
  const total = picked.reduce((sum, kind) => sum + freeableOf(kind), 0)
  return (
    <ConfirmDialog
      title="Clean up disk space"
      action={`Free ${sizeWords(total)}`}
      kind="primary"
      disabled={picked.length === 0}
      pending={clean.isPending}
      failure={clean.error?.message}
      onConfirm={() => clean.mutate()}
      onClose={onClose}
    >
      {CLEANABLE.map((kind) => (
        <CheckField
          key={kind}
          label={
            kind === 'cache'
              ? `Build cache, ${sizeWords(freeableOf(kind))}. The next builds take longer.`
              : `Releases that are not live, ${sizeWords(freeableOf(kind))}. You cannot roll back to ${plural(usage.oldReleases, 'release')} any more.`
          }
          checked={picked.includes(kind)}
          onCheck={(isPicked) => setPicked(isPicked ? [...picked, kind] : picked.filter((each) => each !== kind))}
        />
      ))}
    </ConfirmDialog>
  )
}
