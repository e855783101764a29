import type { ListedApplication } from '@berth/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { SelectField, TextField } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { QueryView } from '../components/query-view.tsx'
import { ReferenceChip } from '../components/reference-value.tsx'
import { environmentKeys } from '../features/environment/queries.ts'
import { project } from '../features/projects/queries.ts'
import { useForm } from '../lib/use-form.ts'
import { paths } from '../paths.ts'
import { connectionReference, usualName } from './connect-names.ts'
import { useDeploy } from './use-deploy.ts'

type Apps = readonly [ListedApplication, ...ListedApplication[]]
type Pair = { app: ListedApplication; database: ListedApplication }

/** Gives an app a variable that refers to a database of its project. One of the two is known, the other is picked. */
export function ConnectDialog({ known, onClose }: { known: ListedApplication; onClose: () => void }) {
  const isDatabase = known.app_type === 'database'
  const query = useQuery(project(known.project_id))
  const [connected, setConnected] = useState<Pair & { variable: string }>()
  const title = isDatabase ? 'Connect to app' : 'Connect a database'
  return (
    <Dialog title={title} onClose={onClose}>
      {connected ? (
        <Connected {...connected} onClose={onClose} />
      ) : (
        <QueryView query={query}>
          {({ applications }) => {
            const [first, ...others] = applications.filter(({ app_type }) => (app_type === 'database') !== isDatabase)
            if (!first) return <NothingToPick known={known} />
            const pairOf = (picked: ListedApplication) => (isDatabase ? { app: picked, database: known } : { app: known, database: picked })
            return <ConnectForm choices={[first, ...others]} pairOf={pairOf} onDone={setConnected} onClose={onClose} />
          }}
        </QueryView>
      )}
    </Dialog>
  )
}

function NothingToPick({ known }: { known: ListedApplication }) {
  return (
    <p className="text-sm text-ink-soft">
      This project has no {known.app_type === 'database' ? 'app to connect' : 'database'} yet.{' '}
      <Link to={paths.newApp(known.project_id)} className="text-accent underline">
        Create one
      </Link>
    </p>
  )
}

type FormProps = {
  choices: Apps
  pairOf: (picked: ListedApplication) => Pair
  onDone: (connected: Pair & { variable: string }) => void
  onClose: () => void
}

function ConnectForm({ choices, pairOf, onDone, onClose }: FormProps) {
  const client = useQueryClient()
  const pick = (id: string) => choices.find((choice) => String(choice.id) === id) ?? choices[0]
  const form = useForm('envs.create', {
    initial: { picked: String(choices[0].id), key: usualName(pairOf(choices[0]).database) },
    input: ({ picked, key }) => {
      const { app, database } = pairOf(pick(picked))
      return { appId: app.id, key, value: connectionReference(database) }
    },
    onDone: async ({ appId, key }, { picked }) => {
      await client.invalidateQueries({ queryKey: environmentKeys.ofApp(appId) })
      onDone({ ...pairOf(pick(picked)), variable: key })
    },
  })
  const { picked, key } = form.values
  const { database } = pairOf(pick(picked))
  function onPick(next: string): void {
    form.set('picked', next)
    if (key === usualName(database)) form.set('key', usualName(pairOf(pick(next)).database)) // unless another name was typed
  }
  return (
    <Form form={form} submit="Connect" onCancel={onClose}>
      <SelectField
        label={database.id === Number(picked) ? 'Database' : 'App'}
        value={picked}
        options={choices.map(({ id, name }) => ({ value: String(id), label: name }))}
        onPick={onPick}
      />
      <TextField
        label="Variable"
        mono
        autoComplete="off"
        spellCheck={false}
        hint={
          <>
            Set to <ReferenceChip source={database.slug} name="URL" />, resolved at each deployment
          </>
        }
        {...form.field('key')}
      />
    </Form>
  )
}

function Connected({ app, database, variable, onClose }: Pair & { variable: string; onClose: () => void }) {
  const deploy = useDeploy()
  return (
    <div className="grid gap-4 text-sm">
      <p>
        <code className="font-mono text-[13px]">{variable}</code> of {app.name} now refers to {database.name}. Deploy {app.name} to apply
        it.
      </p>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Later</Button>
        <Button kind="primary" pending={deploy.isPending} onClick={() => deploy.mutate({ appId: app.id })}>
          Deploy
        </Button>
      </div>
    </div>
  )
}
