import type { Application } from '@berth/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { toast } from '../../components/toast.tsx'
import { call } from '../../lib/api.ts'
import { useUnsavedWarning } from '../../lib/use-unsaved-warning.ts'
import { paths } from '../../paths.ts'
import { ComposeEditor, useComposeCheck } from '../../shared/compose-editor.tsx'
import { composeFile } from '../stacks/queries.ts'
import { appKeys } from './queries.ts'

type Props = { app: Application; disabled: boolean }

/** The compose file of an app without a repository. */
export function ComposeFileCard({ app, disabled }: Props) {
  return (
    <Card title="Compose file" note="This app has no repository and is deployed from this file.">
      <QueryView query={useQuery(composeFile(app.id))}>
        {(saved) => <Editor key={saved.composeFile} app={app} saved={saved.composeFile} disabled={disabled} />}
      </QueryView>
    </Card>
  )
}

function Editor({ app, saved, disabled }: Props & { saved: string }) {
  const client = useQueryClient()
  const [text, setText] = useState(saved)
  const check = useComposeCheck({
    text,
    key: [app.id, app.port],
    ask: (composeFileText) => call('stacks.plan', { appId: app.id, composeFile: composeFileText }),
  })
  const save = useMutation({
    mutationFn: () => call('stacks.setFile', { appId: app.id, composeFile: text }),
    onSuccess: async () => {
      toast('Saved. Takes effect on the next deployment.')
      await client.invalidateQueries({ queryKey: appKeys.ofOne(app.id) })
    },
  })
  useUnsavedWarning(text !== saved)
  return (
    <ComposeEditor
      text={text}
      onText={setText}
      check={check}
      problem={save.error?.message}
      disabled={disabled}
      addVariable={(name) => ({ to: paths.environment(app.id), search: { add: name } })}
    >
      <div>
        <Button kind="primary" disabled={disabled || text === saved} pending={save.isPending} onClick={() => save.mutate()}>
          Save file
        </Button>
      </div>
    </ComposeEditor>
  )
}
